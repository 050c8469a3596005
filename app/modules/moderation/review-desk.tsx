import { useState, type MouseEvent } from "react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState, type FormResult } from "~/components/forms/form-state";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { paths } from "~/http/paths";
import { ExportLinks } from "~/modules/exports/export-links";

import { ChoiceBar } from "./choice-bar";
import { totalInWords } from "./decision-rules";
import { isNarrowed, listingsTable } from "./listings-filter";
import { ListingsFilterForm } from "./listings-filter-form";
import { ListingsTable } from "./listings-table";
import { ListingDialog } from "./listing-dialog";
import { SavedViewLinks } from "./saved-view-links";
import { SavedViewsForm } from "./saved-views-form";
import type { Desk } from "./review-desk.server";

interface ReviewDeskProps {
  title: string;
  subtitle: string;
  desk: Desk;
  /** What a form of this page came to, when it came back. */
  answer: { lastResult: FormResult } | undefined;
}

/** One table of the review desk: what is found, and what can be decided on many at once. */
export function ReviewDesk({ title, subtitle, desk, answer }: ReviewDeskProps) {
  const { view, filter, rows, total, more, pages } = desk;
  const [opened, setOpened] = useState<string | null>(null);
  const form = createFormState<"listing" | "name">({
    id: "listings",
    lastResult: answer?.lastResult,
  });
  const chosen = new Set([form.field("listing").value ?? []].flat());
  const narrowed = isNarrowed(filter);

  function openDetails(event: MouseEvent<HTMLAnchorElement>) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    setOpened(event.currentTarget.getAttribute("href"));
  }

  return (
    <>
      <PageHeader title={title} subtitle={subtitle} />
      <SavedViewLinks views={desk.views} here={listingsTable(filter)} />
      <ListingsFilterForm {...desk} />
      <ErrorSummary form={form} />
      {rows.length === 0 ? (
        <EmptyState
          title={narrowed ? "No listing is like that" : "Nothing is here"}
          illustration="clear-desk"
        >
          {narrowed
            ? "Look for fewer words, or take away a filter."
            : "Every listing of this table has been looked at."}
        </EmptyState>
      ) : (
        <PostForm intent="choose">
          <ListingsTable
            caption={narrowed ? `${totalInWords(total, more)} found` : totalInWords(total, more)}
            view={view}
            filter={filter}
            rows={rows}
            isTicked={(box) => (answer ? chosen.has(box) : desk.ticked)}
            onDetails={openDetails}
          />
          <ChoiceBar view={view} total={total} more={more} tickedAddress={desk.tickedAddress} />
        </PostForm>
      )}
      <Pagination label={`${title}, pages`} {...pages} />
      <SavedViewsForm form={form} views={desk.views} />
      <ExportLinks
        what="listings"
        csv={paths.adminListingsCsv(filter)}
        whole={paths.adminListingsExport(filter)}
      />
      {opened === null ? null : <ListingDialog address={opened} onClose={() => setOpened(null)} />}
    </>
  );
}
