import { useActionData, useLoaderData } from "@remix-run/react";
import { Link } from "react-router-dom";
import { Fragment, useCallback, useRef, useState, type MouseEvent, type ReactNode } from "react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { SelectionBar } from "~/components/forms/selection-bar";
import { importCode } from "~/components/layout/load-as-document";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { paths } from "~/http/paths";
import { ExportLinks } from "~/modules/exports/export-links";
import { formatNumber } from "~/text/counts";

import { DECISION_LABELS, getQueueDecisions, type Decision } from "../decisions/rules";
import { isNarrowed, type Queue } from "./filter";
import { QueueFilterForm } from "./filter-form";
import { ListingsTable } from "./listings-table";
import type { QueueData, queueRoute } from "./queue.server";
import { QueueViews, SavedViewsForm } from "./saved-views";
import { selectAll, selectPage, useKeptSelection, useRangeSelection } from "./selection";

/** The route of a listing's details, whose content the dialog shows. The router loads its code first. */
const DETAILS_ROUTE = "routes/admin.listings.$id_.details";

type QueueRoute = ReturnType<typeof queueRoute>;

/** The title and the component of a queue's page. Its loader and action are `queueRoute`. */
export function queuePage(title: string, subtitle: string) {
  function Page() {
    const data = useLoaderData<QueueRoute["loader"]>();
    const { queue, filter, rows, totalLabel, ticked } = data;
    const answer = useActionData<QueueRoute["action"]>();
    const form = createFormState<"listing" | "name">({
      id: "listings",
      lastResult: answer?.lastResult,
    });
    const selected = new Set([form.field("listing").value ?? []].flat());
    const [dialog, setDialog] = useState<ReactNode>(null);
    const narrowed = isNarrowed(filter);
    const waits = WAITING_QUEUES.has(queue);

    const selectRange = useRangeSelection();
    const noDecision = useRef<HTMLButtonElement>(null);
    useKeptSelection(noDecision);
    // After a row's Approve, the queue stays where it is; other decisions lead to another page.
    const [staysHere, setStaysHere] = useState(false);
    // The first that can be approved: the others need someone to complete them.
    const first = rows.find(({ canApprove }) => canApprove) ?? rows[0];

    const openDetails = useCallback((event: MouseEvent<HTMLAnchorElement>) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      const path = event.currentTarget.getAttribute("href")!;
      // Loaded when someone opens it. If it can't be loaded, the link leads to a page with the same
      // content.
      Promise.all([import("./listing-dialog"), importCode(DETAILS_ROUTE)]).then(
        ([{ ListingDialog }]) =>
          setDialog(<ListingDialog path={path} onClose={() => setDialog(null)} />),
        () => {
          // Leaving quickly ends what is on its way, in Firefox, and nothing may come in its place.
          if (!document.documentElement.hidden) location.assign(path);
        },
      );
    }, []);

    return (
      <>
        <PageHeader
          title={title}
          note={
            narrowed
              ? `${totalLabel.replace(/ listings?$/, "")} found`
              : waits
                ? `${formatNumber(data.total)} waiting`
                : totalLabel
          }
          subtitle={subtitle}
          action={
            first === undefined ? undefined : (
              <ButtonLink variant="quiet" to={paths.adminReview(first.id, filter)}>
                Review one by one
              </ButtonLink>
            )
          }
        />
        <ErrorSummary form={form} />
        <div className="queue-tools">
          <QueueViews views={data.views} />
          <QueueFilterForm {...data} />
          {narrowed || data.savedViews.length > 0 || form.field("name").errors ? (
            <SavedViewsForm form={form} views={data.savedViews} />
          ) : null}
        </div>
        {rows.length === 0 ? (
          <EmptyState
            title={narrowed ? "No matching listings" : waits ? "All done" : "No listings"}
            illustration="clear-desk"
          >
            {narrowed
              ? "Try fewer words or remove a filter."
              : waits
                ? "Nothing is waiting here right now."
                : "There are no listings here right now."}
          </EmptyState>
        ) : (
          <PostForm
            // Nothing stays selected in another view, where "all that match" would be other
            // listings.
            key={data.clearPath}
            intent="choose"
            className="selection-form"
            // Also when an owner has changed a listing since, because no one has read that version.
            version={rows.map(({ id, version }) => `${id}:${version}`)}
            preventScrollReset={staysHere}
            onClick={(event) => {
              setStaysHere((event.target as Element).closest('[name="approve"]') !== null);
              selectRange(event);
            }}
          >
            {/* The button that Enter uses in a checkbox. Without it, that would be the first row's Approve.
                Browsers skip a disabled button. Without script, the form returns and asks what to do. */}
            <button
              type="submit"
              hidden
              ref={noDecision}
              onClick={(event) => event.preventDefault()}
            />
            <ListingsTable
              caption={narrowed ? `${totalLabel} found` : totalLabel}
              queue={queue}
              filter={filter}
              rows={rows}
              isSelected={(value) =>
                answer
                  ? selected.has(value)
                  : ticked === "page" || ticked.includes(value.split(":")[0]!)
              }
              onDetails={openDetails}
            />
            <DecisionBar {...data} />
          </PostForm>
        )}
        <Pagination label={`${title}, pages`} {...data.pages} />
        {data.total > data.sizes[0]!.size ? <PageSizes {...data} /> : null}
        {rows.length > 0 ? (
          <ExportLinks
            what="listings"
            csv={paths.adminListingsCsv(filter)}
            whole={paths.adminListingsExport(filter)}
          />
        ) : null}
        {dialog}
      </>
    );
  }
  return { handle: { title }, Page };
}

/** Links to the same page with other numbers of rows. */
function PageSizes({ sizes, size: current }: Pick<QueueData, "sizes" | "size">) {
  return (
    <p className="queue-end screen-only">
      <span>
        Rows per page:{" "}
        {sizes.map(({ size, path }) => (
          <Fragment key={size}>
            <Link to={path} aria-current={size === current ? "true" : undefined}>
              {size}
            </Link>{" "}
          </Fragment>
        ))}
      </span>
    </p>
  );
}

/** The queues in which every listing waits for a decision. */
const WAITING_QUEUES: ReadonlySet<Queue> = new Set(["new", "pending", "flagged"]);

/** The decisions for the selected listings. */
function DecisionBar({
  queue,
  totalLabel,
  pages,
  selectPagePath,
  clearPath,
}: Pick<QueueData, "queue" | "totalLabel" | "pages" | "selectPagePath" | "clearPath">) {
  const decisions = getQueueDecisions(queue);
  const all = `Select all ${totalLabel.replace(/ listings?$/, "")}`;
  const hasMorePages = pages.previous !== undefined || pages.next !== undefined;
  const button = (decision: Decision, index: number) => (
    <SubmitButton
      key={decision}
      variant={index === 0 ? "primary" : "quiet"}
      name="action"
      value={decision}
    >
      {DECISION_LABELS[decision].label}
    </SubmitButton>
  );
  return (
    <SelectionBar
      all={totalLabel}
      hint="You’ll see a preview before anything changes."
      links={
        <>
          <Link to={selectPagePath} preventScrollReset onClick={selectPage(true)}>
            {hasMorePages ? "Select this page" : all}
          </Link>{" "}
          {hasMorePages ? (
            <label>
              <input
                type="checkbox"
                name="all"
                value="yes"
                className="checkbox"
                onChange={selectAll}
              />
              {` ${all} that match`}
            </label>
          ) : null}{" "}
          <Link to={clearPath} preventScrollReset onClick={selectPage(false)}>
            Clear
          </Link>
        </>
      }
    >
      {decisions.slice(0, 2).map(button)}
      <details data-menu>
        <summary aria-label="More decisions">…</summary>
        <div className="buttons">{decisions.slice(2).map((one) => button(one, 1))}</div>
      </details>
    </SelectionBar>
  );
}
