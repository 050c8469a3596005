import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { SelectionBar } from "~/components/forms/selection-bar";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import {
  describeBulkResult,
  readSelectedIds,
  selectionErrorResponse,
} from "~/http/bulk-action.server";
import { redirectWithFlash } from "~/http/flash.server";
import { readTimePosition, pageLinks, type PagePosition } from "~/http/pagination";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { ExportLinks } from "~/modules/exports/export-links";
import { archiveFeedback, listFeedback, quoteFeedback } from "~/modules/feedback/feedback.server";
import { FeedbackTable } from "~/modules/feedback/feedback-table";
import { formatNumber } from "~/text/counts";
import { isolate } from "~/text/isolate";
import { REPORT_REFUSALS } from "~/modules/reports/refusals";

export const handle = { title: "App Feedback" };

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const completed = url.searchParams.get("completed") === "yes";
  const { rows, total, ...cursors } = await listFeedback(
    db,
    completed,
    readTimePosition(url.searchParams, "time and id"),
  );
  const pathAt = (position: PagePosition) =>
    paths.adminFeedback({ completed: completed ? "yes" : undefined, ...position });
  return json({ completed, rows, total, pages: pageLinks(pathAt, cursors) });
});

/** Archives or reopens the row whose own button was pressed, or all that are selected. */
const setArchived =
  (archived: boolean) =>
  async ({ db, form, url }: ActionContext<"admin">) => {
    const only = form.has("only");
    const ids = readSelectedIds(form, only ? "only" : "feedback");
    const formError = selectionErrorResponse(form, ids, "Select some feedback first.");
    if (formError) return formError;
    const result = await archiveFeedback(db, ids, archived);
    const here = `${url.pathname}${url.search}`;
    const done = archived ? "archived" : "reopened";
    const beginning = only && result.missing === 0 ? await quoteFeedback(db, ids[0]!) : null;
    const state = result.changed > 0 ? done : `already ${archived ? done : "open"}`;
    // A second press has its undo, too: its message takes the place of the first one. Of a selection of which only a
    // part was changed, the undo would also change the rest, which someone else has done.
    const undo =
      beginning !== null || (result.changed === 0) !== (result.unchanged === 0)
        ? { action: here, fields: { [only ? "only" : "feedback"]: ids.join(), undone: done } }
        : undefined;
    return redirectWithFlash(here, {
      ...(beginning === null
        ? describeBulkResult(result, done)
        : {
            tone: result.changed > 0 ? "success" : "info",
            text: `“${isolate(beginning)}” is ${state}.`,
          }),
      undo,
    });
  };

export const action = routeAction(
  { access: "admin", refusals: REPORT_REFUSALS },
  {
    archive: setArchived(true),
    reopen: setArchived(false),
    undo: (context) => setArchived(context.form.get("undone") === "reopened")(context),
  },
);

export default function AdminFeedback() {
  const { completed, rows, total, pages } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const form = createFormState<"feedback">({ id: "feedback", lastResult: answer?.lastResult });
  const label = completed ? "Reopen" : "Archive/Done";
  return (
    <>
      <PageHeader
        title="App Feedback"
        subtitle="What people say about the app, newest first."
        action={
          <ButtonLink
            variant="quiet"
            to={completed ? paths.adminFeedback() : paths.adminFeedback({ completed: "yes" })}
          >
            {completed ? "Show open feedback" : "Show completed feedback"}
          </ButtonLink>
        }
      />
      <ErrorSummary form={form} />
      {rows.length === 0 ? (
        <EmptyState title={completed ? "No completed feedback" : "No open feedback"}>
          {completed ? "Archived feedback will appear here." : "You’re all caught up."}
        </EmptyState>
      ) : (
        <PostForm
          intent={completed ? "reopen" : "archive"}
          version={rows.map(({ id }) => id)}
          className="selection-form"
          preventScrollReset
        >
          {/* The button that Enter uses in a checkbox: not the first row's. */}
          <button type="submit" hidden />
          <FeedbackTable
            caption={`${formatNumber(total)} ${completed ? "completed" : "open"}`}
            rows={rows}
            actionLabel={label}
            selected={[form.field("feedback").value ?? []].flat()}
          />
          <SelectionBar hint={`Select feedback to ${completed ? "reopen" : "archive"} it.`}>
            <SubmitButton>{label}</SubmitButton>
          </SelectionBar>
        </PostForm>
      )}
      <Pagination
        label="Feedback, pages"
        position={`${formatNumber(rows.length)} on this page`}
        {...pages}
      />
      {rows.length > 0 ? (
        <ExportLinks
          what="feedback"
          csv={paths.adminFeedbackCsv({ completed: completed ? "yes" : undefined })}
        />
      ) : null}
    </>
  );
}
