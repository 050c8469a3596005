import { Form, Link } from "react-router-dom";

import { SubmitButton } from "~/components/forms/submit-button";
import { STATUS_OPTIONS } from "~/modules/listings/rules";
import { formatCount } from "~/text/counts";

import { isNarrowed, pageSizeParam, queuePath, type ListingsFilter, type Queue } from "./filter";

interface QueueFilterFormProps {
  queue: Queue;
  filter: ListingsFilter;
  size: number;
  /** How many listings it has found: "12 listings". */
  totalLabel: string;
  categories: readonly { id: number; name: string }[];
  states: readonly string[];
}

interface FilterSetting {
  name: Exclude<keyof ListingsFilter, "view" | "search">;
  label: string;
  /** The option that selects everything; left out for the order. */
  any?: string;
  options: { value: string; label: string }[];
  /** The queues that have this setting; all of them when left out. */
  queues?: readonly Queue[];
  /** There is a view for it above the table, so the setting is only shown when the URL has it. */
  hidden?: true;
}

const SORTS = [
  { value: "oldest", label: "Oldest first" },
  { value: "newest", label: "Newest first" },
  { value: "name", label: "By name" },
];
const FEATURED_SORT = { value: "featured", label: "Longest Featured first" };

function getSettings({
  queue,
  categories,
  states,
}: Pick<QueueFilterFormProps, "queue" | "categories" | "states">): FilterSetting[] {
  return [
    {
      name: "status",
      label: "Status",
      any: "Any status",
      options: STATUS_OPTIONS,
      queues: ["all", "premium"],
    },
    {
      name: "edit",
      label: "Type of change",
      any: "Any change",
      queues: ["pending"],
      options: [
        { value: "contact", label: "Contact only" },
        { value: "phone", label: "Phone only" },
        { value: "name", label: "Name changed" },
        { value: "address", label: "Address only" },
        { value: "description", label: "Description only" },
        { value: "category", label: "Category only" },
        { value: "other", label: "Multiple or other" },
      ],
    },
    {
      name: "category",
      label: "Category",
      any: "Any category",
      options: categories.map(({ id, name }) => ({ value: String(id), label: name })),
    },
    {
      name: "state",
      label: "State",
      any: "Any state",
      options: states.map((value) => ({ value, label: value })),
    },
    {
      name: "age",
      label: "Waiting at least",
      any: "Any wait",
      options: [1, 3, 7, 14, 30, 90].map((days) => ({
        value: String(days),
        label: `${formatCount(days, "day")} or more`,
      })),
    },
    {
      name: "complete",
      label: "Ready to approve",
      any: "Ready or not",
      options: [
        { value: "yes", label: "Ready to approve" },
        { value: "no", label: "Not ready" },
      ],
      hidden: true,
    },
    {
      name: "email",
      label: "Owner email",
      any: "Any owner email",
      options: [
        { value: "yes", label: "With owner email" },
        { value: "no", label: "No owner email" },
      ],
      hidden: true,
    },
    {
      name: "premium",
      label: "Featured",
      any: "Featured or not",
      options: [
        { value: "yes", label: "Featured" },
        { value: "no", label: "Not Featured" },
      ],
      hidden: true,
    },
    {
      name: "asked",
      label: "Changes requested",
      any: "Requested or not",
      options: [
        { value: "yes", label: "Changes requested" },
        { value: "no", label: "None requested" },
      ],
      hidden: true,
    },
    {
      name: "archive",
      label: "Removal requests",
      any: "Requested or not",
      options: [{ value: "requested", label: "Removal requested" }],
      hidden: true,
    },
    {
      name: "sort",
      label: "Order",
      options: queue === "premium" ? [FEATURED_SORT, ...SORTS] : SORTS,
    },
  ];
}

/**
 * The filter of a queue, in one row: below the width for it, its settings are behind "Filters". It also
 * shows settings that the queue does not have but the URL does.
 */
export function QueueFilterForm({
  queue,
  filter,
  size,
  totalLabel,
  categories,
  states,
}: QueueFilterFormProps) {
  const { view: _, search, sort, ...rest } = filter;
  const count = Object.keys(rest).length;
  const shown = getSettings({ queue, categories, states }).filter(
    ({ name, queues, hidden }) =>
      filter[name] !== undefined || (!hidden && (!queues || queues.includes(queue))),
  );
  return (
    <Form
      role="search"
      aria-label="Filter the listings"
      action={queuePath({ view: queue })}
      className="queue-filter"
    >
      <input
        // Choosing another view clears what was typed and not sent, because that doesn't narrow the
        // list.
        key={JSON.stringify(filter)}
        className="input"
        type="search"
        name="search"
        aria-label="Name"
        placeholder="Name"
        defaultValue={search}
        maxLength={200}
        dir="auto"
        autoComplete="off"
      />{" "}
      <details key={count} open={count > 0}>
        <summary>Filters</summary>
        <div className="queue-settings">
          {shown.map(({ name, label, any, options }) => {
            const value = filter[name] ?? "";
            const known = value === "" || options.some((option) => option.value === value);
            const all = [
              ...(any === undefined ? [] : [{ value: "", label: any }]),
              ...options,
              ...(known ? [] : [{ value, label: value }]),
            ];
            return (
              <select
                key={`${name} ${value}`}
                className="select"
                name={name}
                aria-label={label}
                defaultValue={value}
              >
                {all.map((option) => (
                  <option key={option.value} value={option.value}>
                    {option.label}
                  </option>
                ))}
              </select>
            );
          })}
        </div>
      </details>
      {pageSizeParam(size) === undefined ? null : <input type="hidden" name="rows" value={size} />}
      <SubmitButton variant="quiet" busyText="Searching">
        Show
      </SubmitButton>
      {isNarrowed(filter) ? (
        <Link to={queuePath({ view: queue, ...(sort === undefined ? {} : { sort }) })}>
          Show all
        </Link>
      ) : null}
      {/* The list changes below, and the focus stays in the form (WCAG 4.1.3). */}
      <p role="status" className="sr-only">
        {totalLabel} found
      </p>
    </Form>
  );
}
