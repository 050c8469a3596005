import { Form, Link } from "react-router-dom";
import type { ReactNode } from "react";

import { SubmitButton } from "~/components/forms/submit-button";

interface FilterFormProps {
  /** The URL of the list. */
  action: string;
  /** The accessible name: "Search users". */
  label: string;
  submitLabel?: string;
  /** What it has found, for screen readers: "3 users found". */
  found: string;
  /** The URL of the list without this filter; left out when it is not filtered. */
  showAll?: string;
  children: ReactNode;
}

/**
 * Filters a list. The filter is in the URL, so that it can be bookmarked and works without script.
 */
export function FilterForm({
  action,
  label,
  submitLabel = "Search",
  found,
  showAll,
  children,
}: FilterFormProps) {
  return (
    <Form role="search" aria-label={label} action={action} className="filters screen-only">
      {children}
      <div className="buttons">
        <SubmitButton variant="quiet" busyText="Searching">
          {submitLabel}
        </SubmitButton>
        {showAll === undefined ? null : <Link to={showAll}>Show all</Link>}
      </div>
      {/* The list changes below, and the focus stays in the form (WCAG 4.1.3). */}
      <p role="status" className="sr-only">
        {found}
      </p>
    </Form>
  );
}

interface FilterFieldProps {
  name: string;
  label: string;
  value: string;
  type?: "search" | "date";
}

/** A text or a day to filter by. The key makes React replace it when the filter has changed. */
export function FilterField({ name, label, value, type = "search" }: FilterFieldProps) {
  return (
    <div>
      <label htmlFor={`filter-${name}`}>{label}</label>
      <input
        key={value}
        id={`filter-${name}`}
        className="input"
        type={type}
        name={name}
        defaultValue={value}
        maxLength={type === "search" ? 200 : undefined}
        dir={type === "search" ? "auto" : undefined}
        autoComplete="off"
      />
    </div>
  );
}

interface FilterSelectProps {
  name: string;
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
}

/** A few options to filter by. The first one has an empty value and means all. */
export function FilterSelect({ name, label, value, options }: FilterSelectProps) {
  return (
    <div>
      <label htmlFor={`filter-${name}`}>{label}</label>
      <select key={value} id={`filter-${name}`} className="select" name={name} defaultValue={value}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
