import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { FilterField, FilterForm, FilterSelect } from "~/components/forms/filter-form";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { readTimePosition, pageLinks } from "~/http/pagination";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { listEntriesInWords, parseAuditFilter } from "~/modules/audit/audit-log.server";
import { AuditTable } from "~/modules/audit/audit-table";
import { formatAction, SUBJECTS } from "~/modules/audit/labels";
import { ExportLinks } from "~/modules/exports/export-links";
import { formatCount } from "~/text/counts";

export const handle = { title: "Audit Log" };

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const filter = parseAuditFilter(url.searchParams);
  const { entries, actions, note, ...cursors } = await listEntriesInWords(
    db,
    filter,
    readTimePosition(url.searchParams, "time and id"),
  );
  return json({
    filter,
    entries,
    actions,
    note,
    pages: pageLinks((at) => paths.adminAudit({ ...filter, ...at }), cursors),
  });
});

const subjects = Object.entries(SUBJECTS).map(([value, label]) => ({ value, label }));

export default function AdminAudit() {
  const { filter, entries, actions, note, pages } = useLoaderData<typeof loader>();
  const shown = `${formatCount(entries.length, "entry", "entries")} on this page`;
  const filtered = Object.values(filter).some((value) => value !== "");
  return (
    <>
      <PageHeader
        title="Audit Log"
        subtitle="Every decision on a listing and every admin action. Entries can’t be changed or deleted, so we leave out contact details."
      />
      <FilterForm
        action={paths.adminAudit()}
        label="Filter the audit log"
        submitLabel="Show"
        found={shown}
        showAll={filtered ? paths.adminAudit() : undefined}
      >
        <FilterField name="who" label="Person (name or email)" value={filter.who} />
        <FilterSelect
          name="action"
          label="Action"
          value={filter.action}
          options={[
            { value: "", label: "Any" },
            ...actions.map((value) => ({ value, label: formatAction(value) })),
          ]}
        />
        <FilterSelect
          name="subject"
          label="Item type"
          value={filter.subject}
          options={[{ value: "", label: "Anything" }, ...subjects]}
        />
        <FilterField name="subject_id" label="Item ID" value={filter.subject_id} />
        <FilterField name="from" label="From (UTC)" type="date" value={filter.from} />
        <FilterField name="to" label="Until (UTC)" type="date" value={filter.to} />
      </FilterForm>
      {entries.length === 0 ? (
        <EmptyState title={filtered ? "No matching entries" : "Nothing recorded yet"}>
          {filtered ? "Try fewer filters." : "Decisions and changes will be listed here."}
        </EmptyState>
      ) : (
        <AuditTable caption="Newest first" entries={entries} />
      )}
      <Pagination label="Audit log, pages" position={shown} {...pages} />
      {note === null ? null : <p className="hint">{note}</p>}
      {entries.length > 0 ? (
        <ExportLinks what="audit log" csv={paths.adminAuditCsv(filter)} />
      ) : null}
    </>
  );
}
