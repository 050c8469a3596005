import { useRef, useState } from "react";

import { FieldErrors, FieldHint, getDescribedBy } from "~/components/forms/field-frame";
import type { FormField } from "~/components/forms/form-state";
import { useFromDocument } from "~/components/forms/use-from-document";
import { useHydrated } from "~/components/forms/use-hydrated";
import { isolate } from "~/text/isolate";

interface SearchableCheckboxesProps {
  field: FormField;
  legend: string;
  searchLabel: string;
  /**
   * The checkboxes in their groups. Their labels are unique, and are also the values that are sent.
   */
  groups: readonly { name: string; options: readonly string[] }[];
}

const HINT = "Choose all that apply.";

const readChecked = (fieldset: HTMLFieldSetElement) =>
  [...fieldset.querySelectorAll<HTMLInputElement>("input:checked")].map(({ value }) => value);

/** Nothing to read, also where no style sheet applies. */
const ROOM_FOR_SEARCH = (
  <div className="field mt-4 awaits-script">
    <p>&nbsp;</p>
    <div className="control">
      <div className="input" />
    </div>
    <p className="hint" />
  </div>
);

const describeChosen = ({ length }: readonly string[]) =>
  length > 0 ? `, ${length} chosen` : null;

/**
 * Many checkboxes in groups that expand and collapse. With script, a search hides those that don't
 * match. Checked ones stay checked and are always shown.
 */
export default function SearchableCheckboxes({
  field,
  legend,
  searchLabel,
  groups,
}: SearchableCheckboxesProps) {
  const [search, setSearch] = useState("");
  const hydrated = useHydrated();
  const saved = Array.isArray(field.value) ? field.value : field.value ? [field.value] : [];
  const [checked, setChecked] = useState<readonly string[]>(saved);
  const box = useRef<HTMLFieldSetElement>(null);
  useFromDocument(box, (fieldset) => setChecked(readChecked(fieldset)));
  const term = search.trim().toLowerCase();
  const isFound = (option: string) => option.toLowerCase().includes(term);
  const isShown = (option: string) => isFound(option) || checked.includes(option);
  const found = groups.flatMap(({ options }) => options.filter(isFound)).length;
  return (
    <fieldset
      ref={box}
      className="choice-group"
      onChange={({ currentTarget }) => setChecked(readChecked(currentTarget))}
      aria-describedby={getDescribedBy(field, HINT)}
    >
      <legend>{legend}</legend>
      <FieldHint field={field} hint={HINT} />
      <FieldErrors field={field} />
      {hydrated ? (
        <div className="field mt-4">
          <label htmlFor={`${field.id}-search`}>{searchLabel}</label>
          <div className="control">
            <input
              type="search"
              id={`${field.id}-search`}
              className="input"
              autoComplete="off"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
              // Enter would submit the form.
              onKeyDown={(event) => {
                if (event.key === "Enter") event.preventDefault();
              }}
            />
          </div>
          <p role="status" className={`hint ${term && "mt-2"}`}>
            {term === "" ? "" : found === 0 ? "Nothing found." : `${found} found.`}
          </p>
        </div>
      ) : (
        ROOM_FOR_SEARCH
      )}
      {groups.map(({ name, options }, group) => (
        <details
          key={name}
          className="location-group"
          hidden={!options.some(isShown)}
          open={
            term !== "" ||
            group === 0 ||
            options.some((option) => saved.includes(option)) ||
            undefined
          }
        >
          <summary>
            {name}
            {/* The checked ones may be further down. (Without script, it would not change with them.) */}
            {hydrated ? describeChosen(options.filter((option) => checked.includes(option))) : null}
          </summary>
          <div className="choices choices-wide">
            {options.map((option, index) => {
              // Only the first one has an id, for the error summary: there may be hundreds of them.
              return (
                <label key={option} className="choice" hidden={!isShown(option)}>
                  <input
                    type="checkbox"
                    className="checkbox"
                    id={group + index === 0 ? field.id : undefined}
                    name={field.name}
                    value={option}
                    defaultChecked={saved.includes(option)}
                  />{" "}
                  {isolate(option)}
                </label>
              );
            })}
          </div>
        </details>
      ))}
    </fieldset>
  );
}
