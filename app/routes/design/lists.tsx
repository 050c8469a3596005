import { FilterField, FilterForm, FilterSelect } from "~/components/forms/filter-form";
import { SelectionBar } from "~/components/forms/selection-bar";
import VersionConflict from "~/components/forms/version-conflict";
import { Badge } from "~/components/ui/badge";
import { Button } from "~/components/ui/button";
import { Card, CardHead } from "~/components/ui/card";
import { type Column, DataTable } from "~/components/ui/data-table";
import { DateText } from "~/components/ui/date-text";
import { Pagination } from "~/components/ui/pagination";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { Stats } from "~/components/ui/stats";
import { TextLink } from "~/components/ui/text-link";

import { Grid, LONG_NAME, LONG_TEXT, OTHER_SCRIPT, type PartProps } from "./samples";

const ROWS = [
  { id: "1", name: "Café X", views: "1,204" },
  { id: "2", name: LONG_NAME, views: "0" },
  { id: "3", name: OTHER_SCRIPT, views: "12" },
];
const STATS = [
  { label: "Views", value: "1,204" },
  { label: "Nearby users", value: "< 50" },
  { label: "Favorites", value: 0 },
];

/** Cards, chips, filters, tables, and pages. */
export function Lists({ scheme }: PartProps) {
  const columns: Column<(typeof ROWS)[number]>[] = [
    {
      key: "select",
      header: "Select",
      hideHeader: true,
      cell: ({ id, name }) => (
        <RowCheckbox name="id" value={id} label={`Select ${name}, ${scheme}`} />
      ),
    },
    {
      key: "name",
      header: "Business Name",
      rowHeader: true,
      cell: ({ name }) => <TextLink to="/design">{name}</TextLink>,
    },
    {
      key: "status",
      header: "Status",
      kind: "nowrap",
      cell: () => <Badge tone="waiting">In review</Badge>,
    },
    { key: "text", header: "About/Bio", kind: "sentences", cell: () => LONG_TEXT },
    {
      key: "at",
      header: "Added (UTC)",
      kind: "nowrap",
      cell: () => <DateText at="2026-11-03T14:05:00Z" />,
    },
    { key: "views", header: "Views", kind: "number", cell: ({ views }) => views },
  ];
  return (
    <>
      <ul className="chips">
        {["All", "In review", LONG_NAME].map((name, index) => (
          <li key={name}>
            <a className="chip" href="/design" aria-current={index === 1 ? "page" : undefined}>
              {name} <span className="count">{index * 206}</span>
            </a>
          </li>
        ))}
      </ul>
      <FilterForm
        action="/design"
        label={`Search, ${scheme}`}
        showAll="/design"
        found="3 listings found"
      >
        <FilterField name={`search-${scheme}`} label="Business Name" value="" />
        <FilterField name={`day-${scheme}`} label="From" value="2026-11-03" type="date" />
        <FilterSelect
          name={`status-${scheme}`}
          label="Status"
          value=""
          options={[
            { value: "", label: "All" },
            { value: "new", label: "New" },
          ]}
        />
      </FilterForm>
      <Grid>
        <div>
          <Card>
            <CardHead
              title="Café X"
              subtitle="Albuquerque, NM"
              badges={<Badge tone="published">Published</Badge>}
            />
            <Stats stats={STATS} />
          </Card>
        </div>
        <div>
          <Card featured>
            <CardHead
              title={<bdi>{LONG_NAME}</bdi>}
              badges={<Badge tone="featured">Featured</Badge>}
            />
            <Stats stats={STATS} />
          </Card>
        </div>
      </Grid>
      <form className="selection-form" onSubmit={(event) => event.preventDefault()}>
        <DataTable
          caption={`Listings, ${scheme}`}
          columns={columns}
          rows={ROWS}
          rowKey={({ id }) => id}
        />
        <SelectionBar hint="Select listings to archive them.">
          <Button>Archive</Button>
        </SelectionBar>
      </form>
      <Pagination
        label={`Listings, pages, ${scheme}`}
        previous="/design"
        next="/design"
        position="Listings 251–500 of 1,204"
      />
      <VersionConflict
        form={`${scheme}-none`}
        rows={[
          { name: `${scheme}-name`, label: "Business Name", theirs: LONG_NAME, yours: "Café X" },
        ]}
      />
    </>
  );
}
