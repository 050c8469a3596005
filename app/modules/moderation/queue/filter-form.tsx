import { FilterField, FilterForm, FilterSelect } from "~/components/forms/filter-form";
import { STATUS_OPTIONS } from "~/modules/listings/rules";
import { formatCount } from "~/text/counts";

import { isNarrowed, PAGE_SIZES, queuePath, type ListingsFilter, type Queue } from "./filter";

interface QueueFilterFormProps {
  queue: Queue;
  filter: ListingsFilter;
  size: number;
  categories: readonly { id: number; name: string }[];
  states: readonly string[];
}

interface FilterSetting {
  name: Exclude<keyof ListingsFilter, "view" | "search">;
  label: string;
  options: { value: string; label: string }[];
  /** The queues that have this setting; all of them when left out. */
  queues?: readonly Queue[];
}

const YES_OR_NO = [
  { value: "yes", label: "Yes" },
  { value: "no", label: "No" },
];

const SORTS = [
  { value: "oldest", label: "Oldest first" },
  { value: "newest", label: "Newest first" },
  { value: "name", label: "By name" },
];
const FEATURED_SORT = { value: "featured", label: "By when they became Featured" };

function getSettings({
  queue,
  categories,
  states,
}: Pick<QueueFilterFormProps, "queue" | "categories" | "states">): FilterSetting[] {
  return [
    { name: "status", label: "Status", options: STATUS_OPTIONS, queues: ["all", "premium"] },
    {
      name: "edit",
      label: "What the edit touches",
      queues: ["pending"],
      options: [
        { value: "contact", label: "Contact details only" },
        { value: "phone", label: "Phone number only" },
        { value: "address", label: "Address only" },
        { value: "description", label: "Description only" },
        { value: "category", label: "Category only" },
        { value: "other", label: "Several, or anything else" },
      ],
    },
    {
      name: "category",
      label: "Category",
      options: categories.map(({ id, name }) => ({ value: String(id), label: name })),
    },
    { name: "state", label: "State", options: states.map((value) => ({ value, label: value })) },
    { name: "complete", label: "Can be approved", options: YES_OR_NO },
    { name: "email", label: "Has an owner e-mail", options: YES_OR_NO },
    {
      name: "premium",
      label: "Featured",
      options: YES_OR_NO,
      queues: ["all", "new", "pending", "flagged"],
    },
    {
      name: "asked",
      label: "Changes were requested",
      options: YES_OR_NO,
      queues: ["all", "new", "pending", "flagged"],
    },
    {
      name: "archive",
      label: "Archiving",
      options: [{ value: "requested", label: "Requested by the owner" }],
      queues: ["all"],
    },
    {
      name: "age",
      label: "Waits for at least",
      options: [1, 3, 7, 14, 30, 90].map((days) => ({
        value: String(days),
        label: formatCount(days, "day"),
      })),
    },
    {
      name: "sort",
      label: "Order",
      options: queue === "premium" ? [FEATURED_SORT, ...SORTS] : SORTS,
    },
  ];
}

/** The filter of a queue. It also shows settings that the queue does not have but the URL does. */
export function QueueFilterForm({ queue, filter, size, categories, states }: QueueFilterFormProps) {
  const { view: _, search, sort, ...rest } = filter;
  const shown = getSettings({ queue, categories, states }).filter(
    ({ name, queues }) => !queues || queues.includes(queue) || filter[name] !== undefined,
  );
  return (
    <FilterForm
      action={queuePath({ view: queue })}
      label="Filter the listings"
      submitLabel="Show"
      showAll={
        isNarrowed(filter)
          ? queuePath({ view: queue, ...(sort === undefined ? {} : { sort }) })
          : undefined
      }
    >
      <FilterField name="search" label="Name" value={search ?? ""} />
      <details
        className="changes"
        key={Object.keys(rest).length}
        open={Object.keys(rest).length > 0}
      >
        <summary>More filters</summary>
        <div className="filters">
          {shown.map(({ name, label, options }) => {
            const value = filter[name] ?? "";
            const known = value === "" || options.some((option) => option.value === value);
            const first = name === "sort" ? [] : [{ value: "", label: "Any" }];
            return (
              <FilterSelect
                key={name}
                name={name}
                label={label}
                value={value}
                options={[...first, ...options, ...(known ? [] : [{ value, label: value }])]}
              />
            );
          })}
          <FilterSelect
            name="rows"
            label="Rows on a page"
            value={String(size)}
            options={PAGE_SIZES.map((value) => ({ value: String(value), label: String(value) }))}
          />
        </div>
      </details>
    </FilterForm>
  );
}
