import { Form, Link } from "@remix-run/react";
import type { ReactNode } from "react";

import { SubmitButton } from "~/components/forms/submit-button";

interface FilterFormProps {
  /** The list's own address. */
  action: string;
  /** What it does, for those who hear it: "Search users". */
  label: string;
  submitLabel?: string;
  /** The list without this filter; left out while there is none. */
  showAll?: string;
  children: ReactNode;
}

/** Narrows a list down. It asks by address, so that what it finds can be kept and shared, and works without script. */
export function FilterForm({
  action,
  label,
  submitLabel = "Search",
  showAll,
  children,
}: FilterFormProps) {
  return (
    <Form role="search" aria-label={label} action={action} className="filters">
      {children}
      <SubmitButton variant="quiet" busyText="Searching">
        {submitLabel}
      </SubmitButton>
      {showAll === undefined ? null : (
        <Link to={showAll} discover="none">
          Show all
        </Link>
      )}
    </Form>
  );
}

interface FilterFieldProps {
  name: string;
  label: string;
  value: string;
  type?: "search" | "date";
}

/** A word or a day to filter by. Drawn anew for another value, so that it shows what is filtered by. */
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
        maxLength={200}
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

/** One of a few kinds to filter by; the first option, with an empty value, is all of them. */
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
