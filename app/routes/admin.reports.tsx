import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { FilterForm, FilterSelect } from "~/components/forms/filter-form";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SelectionBar } from "~/components/forms/selection-bar";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { redirectWithFlash } from "~/http/flash.server";
import { readTimePosition, pageLinks, type PagePosition } from "~/http/pagination";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { ExportLinks } from "~/modules/exports/export-links";
import { undoDecision } from "~/modules/moderation/decisions/undo.server";
import { ReportTable } from "~/modules/reports/report-table";
import {
  formatSeen,
  listReports,
  parseReportState,
  updateSelectedReports,
} from "~/modules/reports/reports.server";
import {
  MAX_NOTE_LENGTH,
  REPORT_STATE_LABELS,
  REPORT_STATES,
  type ReportState,
} from "~/modules/reports/rules";
import { formatCount, formatNumber } from "~/text/counts";
import { REPORT_REFUSALS } from "~/modules/reports/refusals";

export const handle = {
  title: "User Reports",
  tabTitle: ({ state }: SerializeFrom<typeof loader>) =>
    `User Reports, ${REPORT_STATE_LABELS[state].toLowerCase()}`,
};

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const state = parseReportState(url.searchParams);
  const { rows, total, ...cursors } = await listReports(
    db,
    state,
    readTimePosition(url.searchParams, "time and id"),
  );
  const pathAt = (position: PagePosition) =>
    paths.adminReports({ state: state === "open" ? undefined : state, ...position });
  return json({ state, rows, seen: formatSeen(rows), total, pages: pageLinks(pathAt, cursors) });
});

const updateTo =
  (state: ReportState, flag = false) =>
  async ({ db, form, url }: ActionContext<"admin">) => {
    const here = `${url.pathname}${url.search}`;
    const { formError, flash } = await updateSelectedReports(db, form, state, flag, here);
    return formError ?? redirectWithFlash(here, flash);
  };

export const action = routeAction(
  { access: "admin", refusals: REPORT_REFUSALS },
  {
    resolve: updateTo("resolved"),
    dismiss: updateTo("dismissed"),
    reopen: updateTo("open"),
    flag: updateTo("resolved", true),
    undo: (context) => undoDecision(context, `${context.url.pathname}${context.url.search}`),
  },
);

export default function AdminReports() {
  const { state, rows, seen, total, pages } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const form = createFormState<"report" | "note">({
    id: "reports",
    lastResult: answer?.lastResult,
  });
  return (
    <>
      <PageHeader
        title="User Reports"
        subtitle="Reports about listings, newest first. Reporters stay anonymous."
      />
      <FilterForm
        action={paths.adminReports()}
        label="Filter the reports"
        submitLabel="Show"
        found={`${formatCount(total, "report")} found`}
      >
        <FilterSelect
          name="state"
          label="Status"
          value={state}
          options={REPORT_STATES.map((value) => ({ value, label: REPORT_STATE_LABELS[value] }))}
        />
      </FilterForm>
      <ErrorSummary form={form} />
      {rows.length === 0 ? (
        <EmptyState title={state === "open" ? "No open reports" : "No reports"}>
          {state === "open"
            ? "Every report has been reviewed."
            : `There are no ${REPORT_STATE_LABELS[state].toLowerCase()} reports.`}
        </EmptyState>
      ) : (
        <PostForm
          // The note is about the reports that were selected: what is left begins with none, as without script.
          key={rows.map(({ id }) => id).join()}
          className="selection-form"
          unsaved="warn"
          version={rows.map(({ id }) => id)}
        >
          {/* The listings as they are shown here: one that has changed since isn't flagged. */}
          {state === "open" && <input type="hidden" name="seen" value={seen} />}
          <ReportTable
            caption={`${formatNumber(total)} ${REPORT_STATE_LABELS[state].toLowerCase()}`}
            rows={rows}
            selected={[form.field("report").value ?? []].flat()}
          />
          <div className="measure">
            <TextArea
              field={form.field("note")}
              label="Note"
              hint="Saved with each selected report. Only admins can see it."
              optional
              rows={2}
              limit={MAX_NOTE_LENGTH}
            />
          </div>
          <SelectionBar
            hint={`Select reports to ${state === "open" ? "resolve or dismiss" : "reopen"} them.`}
          >
            {state === "open" ? (
              <>
                <SubmitButton name="intent" value="resolve">
                  Resolve
                </SubmitButton>
                <SubmitButton variant="quiet" name="intent" value="dismiss">
                  Dismiss
                </SubmitButton>
                <SubmitButton variant="quiet" name="intent" value="flag">
                  Flag and resolve
                </SubmitButton>
              </>
            ) : (
              <SubmitButton name="intent" value="reopen">
                Reopen
              </SubmitButton>
            )}
          </SelectionBar>
        </PostForm>
      )}
      <Pagination
        label="Reports, pages"
        position={`${formatCount(rows.length, "report")} on this page`}
        {...pages}
      />
      {rows.length > 0 ? (
        <ExportLinks what="reports" csv={paths.adminReportsCsv({ state })} />
      ) : null}
    </>
  );
}
