import { useState } from "react";

import { FieldErrors, FieldHint, getDescribedBy } from "~/components/forms/field-frame";
import type { FormField } from "~/components/forms/form-state";
import { useHydrated } from "~/components/forms/use-hydrated";

interface SearchableCheckboxesProps {
  field: FormField;
  legend: string;
  hint: string;
  searchLabel: string;
  /** The boxes, in groups as they are shown. No two have the same words, which are also what is sent. */
  groups: readonly { name: string; options: readonly string[] }[];
}

/**
 * Any number of very many choices: boxes in groups that open and close; with script, a search that hides
 * what does not match. What is ticked stays ticked and is always shown.
 */
export function SearchableCheckboxes({
  field,
  legend,
  hint,
  searchLabel,
  groups,
}: SearchableCheckboxesProps) {
  const [search, setSearch] = useState("");
  const hydrated = useHydrated();
  const saved = Array.isArray(field.value) ? field.value : field.value ? [field.value] : [];
  const [ticked, setTicked] = useState<readonly string[]>(saved);
  const wanted = search.trim().toLowerCase();
  const isShown = (option: string) =>
    wanted === "" || option.toLowerCase().includes(wanted) || ticked.includes(option);
  return (
    <fieldset className="choice-group" aria-describedby={getDescribedBy(field, hint)}>
      <legend>{legend}</legend>
      <FieldHint field={field} hint={`${hint} Choose all that apply.`} />
      <FieldErrors field={field} />
      {hydrated ? (
        <div className="field mt-3">
          <label htmlFor={`${field.id}-search`}>{searchLabel}</label>
          <div className="control">
            <input
              type="search"
              id={`${field.id}-search`}
              className="input"
              autoComplete="off"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
              // Enter would send the form.
              onKeyDown={(event) => {
                if (event.key === "Enter") event.preventDefault();
              }}
            />
          </div>
          <p role="status" className="hint">
            {groups.some(({ options }) => options.some(isShown)) ? "" : "Nothing found."}
          </p>
        </div>
      ) : null}
      {groups.map(({ name, options }, group) => (
        <details
          key={name}
          className="location-group"
          hidden={!options.some(isShown)}
          open={
            wanted !== "" ||
            group === 0 ||
            options.some((option) => saved.includes(option)) ||
            undefined
          }
        >
          <summary>{name}</summary>
          <div className="choices choices-wide">
            {options.map((option, index) => {
              // No ids but the first box's own, which the error summary leads to: there may be hundreds, and a slow line.
              return (
                <label key={option} className="choice" hidden={!isShown(option)}>
                  <input
                    type="checkbox"
                    className="checkbox"
                    id={group + index === 0 ? field.id : undefined}
                    name={field.name}
                    value={option}
                    defaultChecked={saved.includes(option)}
                    onChange={(event) =>
                      setTicked(
                        event.target.checked
                          ? [...ticked, option]
                          : ticked.filter((one) => one !== option),
                      )
                    }
                  />
                  {option}
                </label>
              );
            })}
          </div>
        </details>
      ))}
    </fieldset>
  );
}
