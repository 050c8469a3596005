import { useState } from "react";

import { FieldErrors, FieldHint, describedBy } from "~/components/forms/field-frame";
import type { FormField } from "~/components/forms/form-state";
import { useHydrated } from "~/components/forms/use-hydrated";

import { LICENSED_LOCATION_GROUPS } from "./licensed-locations";

/**
 * Where a therapist is licensed: boxes in groups that open and close; with script, a search that hides
 * what does not match. What is ticked stays ticked and is always shown.
 */
export function LicensedLocations({ field, hint }: { field: FormField; hint: string }) {
  const [search, setSearch] = useState("");
  const hydrated = useHydrated();
  const saved = Array.isArray(field.value) ? field.value : field.value ? [field.value] : [];
  const [ticked, setTicked] = useState<readonly string[]>(saved);
  const wanted = search.trim().toLowerCase();
  return (
    <fieldset className="choice-group" aria-describedby={describedBy(field, hint)}>
      <legend>Where are you licensed</legend>
      <FieldHint field={field} hint={`${hint} Choose all that apply.`} />
      <FieldErrors field={field} />
      {hydrated ? (
        <div>
          <label htmlFor={`${field.id}-search`}>Search places</label>
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
      ) : null}
      {LICENSED_LOCATION_GROUPS.map(({ name, locations }, group) => (
        <details key={name} className="location-group" open={wanted !== "" || group === 0 || locations.some((location) => saved.includes(location)) || undefined}>
          <summary>{name}</summary>
          <div className="choices choices-wide">
            {locations.map((location, index) => {
              // The first box bears the field's own id, so that the error summary leads to it.
              const id = group + index === 0 ? field.id : `${field.id}-${group}-${index}`;
              const matches = wanted === "" || location.toLowerCase().includes(wanted) || ticked.includes(location);
              return (
                <div key={location} className="choice" hidden={!matches}>
                  <input
                    type="checkbox"
                    className="checkbox"
                    id={id}
                    name={field.name}
                    value={location}
                    defaultChecked={saved.includes(location)}
                    onChange={(event) =>
                      setTicked(event.target.checked ? [...ticked, location] : ticked.filter((one) => one !== location))
                    }
                  />
                  <label htmlFor={id}>{location}</label>
                </div>
              );
            })}
          </div>
        </details>
      ))}
    </fieldset>
  );
}
