import { Link, useActionData, useFetcher, useLoaderData } from "@remix-run/react";
import { useEffect, useRef, useState, type MouseEvent } from "react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { Button } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { paths } from "~/http/paths";
import { ExportLinks } from "~/modules/exports/export-links";

import { DECISION_LABELS, getQueueDecisions } from "../decisions/rules";
import { ListingActions, ListingFacts, type DetailsData } from "../review/listing-details";
import { isNarrowed, queuePath } from "./filter";
import { QueueFilterForm } from "./filter-form";
import { ListingsTable } from "./listings-table";
import type { QueueData, queueRoute } from "./queue.server";
import { SavedViewLinks, SavedViewsForm } from "./saved-views";

type QueueRoute = ReturnType<typeof queueRoute>;

/** The title and the component of a queue's page. Its loader and action are `queueRoute`. */
export function queuePage(title: string, subtitle: string) {
  function Page() {
    const data = useLoaderData<QueueRoute["loader"]>();
    const { queue, filter, rows, totalLabel } = data;
    const answer = useActionData<QueueRoute["action"]>();
    const form = createFormState<"listing" | "name">({
      id: "listings",
      lastResult: answer?.lastResult,
    });
    const selected = new Set([form.field("listing").value ?? []].flat());
    const [detailsPath, setDetailsPath] = useState<string | null>(null);
    const narrowed = isNarrowed(filter);

    function openDetails(event: MouseEvent<HTMLAnchorElement>) {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      setDetailsPath(event.currentTarget.getAttribute("href"));
    }

    return (
      <>
        <PageHeader title={title} subtitle={subtitle} />
        <SavedViewLinks views={data.views} here={queuePath(filter)} />
        <QueueFilterForm {...data} />
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
              caption={narrowed ? `${totalLabel} found` : totalLabel}
              queue={queue}
              filter={filter}
              rows={rows}
              isSelected={(value) => (answer ? selected.has(value) : data.pageSelected)}
              onDetails={openDetails}
            />
            <SelectionBar {...data} />
          </PostForm>
        )}
        <Pagination label={`${title}, pages`} {...data.pages} />
        <SavedViewsForm form={form} views={data.views} />
        <ExportLinks
          what="listings"
          csv={paths.adminListingsCsv(filter)}
          whole={paths.adminListingsExport(filter)}
        />
        {detailsPath === null ? null : (
          <ListingDialog path={detailsPath} onClose={() => setDetailsPath(null)} />
        )}
      </>
    );
  }
  return { handle: { title }, Page };
}

/** Selects every row of the page. Without script, the link loads the page with all rows selected. */
function selectPage(event: MouseEvent<HTMLAnchorElement>) {
  const boxes =
    event.currentTarget
      .closest("form")
      ?.querySelectorAll<HTMLInputElement>("input[name=listing]") ?? [];
  event.preventDefault();
  for (const box of boxes) box.checked = true;
}

/** Selects many listings at once, and has the decisions for those that are selected. */
function SelectionBar({
  queue,
  totalLabel,
  selectPagePath,
}: Pick<QueueData, "queue" | "totalLabel" | "selectPagePath">) {
  return (
    <div className="choice-bar">
      <p className="links">
        <Link to={selectPagePath} discover="none" preventScrollReset onClick={selectPage}>
          Select this page
        </Link>
        <label>
          <input type="checkbox" name="all" value="yes" className="checkbox" /> Select all{" "}
          {totalLabel} that match this filter
        </label>
      </p>
      <div className="buttons">
        {getQueueDecisions(queue).map((decision, index) => (
          <SubmitButton
            key={decision}
            variant={index === 0 ? "primary" : "quiet"}
            name="action"
            value={decision}
          >
            {DECISION_LABELS[decision].label}
          </SubmitButton>
        ))}
      </div>
      <p className="hint">
        You are shown what will happen to each of them before anything is done.
      </p>
    </div>
  );
}

interface ListingDialogProps {
  /** The URL of the listing's details page, which has the same content. */
  path: string;
  onClose: () => void;
}

/** The details of a listing over the table, which keeps its scroll position and its selection. */
function ListingDialog({ path, onClose }: ListingDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { load, data } = useFetcher<DetailsData>();

  useEffect(() => {
    dialog.current?.showModal();
    load(path);
  }, [path, load]);

  const close = (
    <Button variant="quiet" onClick={() => dialog.current?.close()}>
      Close
    </Button>
  );
  return (
    <dialog ref={dialog} className="overlay" aria-labelledby="listing-dialog" onClose={onClose}>
      <div className="card">
        <h2 id="listing-dialog">{data?.listing.name ?? "Loading"}</h2>
        {data ? (
          <>
            <ListingFacts listing={data.listing} />
            <ListingActions {...data} close={close} />
          </>
        ) : (
          <div className="buttons">{close}</div>
        )}
      </div>
    </dialog>
  );
}
