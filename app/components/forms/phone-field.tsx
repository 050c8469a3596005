import { useId, useRef, useState } from "react";

import { FieldErrors, OptionalMark, getAriaProps } from "~/components/forms/field-frame";
import { firstValue } from "~/components/forms/form-state";
import type { FormField } from "~/components/forms/form-state";
import { Icon } from "~/components/ui/icon";

export interface PhoneCountry {
  /** ISO 3166 code, two letters. */
  code: string;
  name: string;
  /** Without the plus: "1", "44". */
  dialCode: string;
}

interface PhoneFieldProps {
  /** The number as the user typed it. */
  field: FormField;
  /** The country, usually `phone_country`, as text. Its initial value is the server's guess. */
  country: FormField;
  countries: readonly PhoneCountry[];
  legend?: string;
  hint?: string;
  /** A number of that country, shown after "Example:". */
  example?: string;
  /** Shown under a number that was found to be valid. */
  success: string;
  /** Whether the number was found to be valid when the form was sent. */
  valid: boolean;
  /** Asks the server whether a number is valid, when the user leaves the field. */
  check: (number: string, country: string) => Promise<boolean>;
  optional?: boolean;
}

/** A country as the list shows it, and as it is sent. */
export const formatPhoneCountry = ({ name, dialCode }: Omit<PhoneCountry, "code">) =>
  `${name} (+${dialCode})`;

/**
 * A phone number: the country, which the browser completes from a list while one types, and the number. The server
 * decides what is valid. Where script runs, it does so when the user leaves the field; elsewhere, with the form.
 */
export function PhoneField({
  field,
  country,
  countries,
  legend = "Phone",
  hint,
  example,
  success,
  valid: wasValid,
  check,
  optional,
}: PhoneFieldProps) {
  const listId = useId();
  const description = hint ?? example;
  const inputs = useRef<HTMLDivElement>(null);
  const [valid, setValid] = useState(wasValid);

  function read() {
    const [typedCountry, number] = inputs.current?.querySelectorAll("input") ?? [];
    return [number?.value ?? "", typedCountry?.value ?? ""] as const;
  }

  async function checkNumber() {
    const typed = read();
    const isValid = typed[0].trim() !== "" && (await check(...typed));
    // Someone may have typed on while the answer was on its way.
    if (typed.join() === read().join()) setValid(isValid);
  }

  return (
    <fieldset className="field">
      <legend>
        {legend}
        <OptionalMark when={optional} />
      </legend>
      {description === undefined ? null : (
        <p id={field.descriptionId} className="hint">
          {hint}
          {hint !== undefined && example !== undefined ? " " : null}
          {example === undefined ? null : `Example: ${example}`}
        </p>
      )}
      <FieldErrors field={country} />
      <FieldErrors field={field} />
      <div
        ref={inputs}
        className="phone"
        onInput={() => setValid(false)}
        onBlur={() => void checkNumber()}
      >
        <div>
          <label htmlFor={country.id}>Country code</label>
          <div className="control">
            <input
              type="text"
              id={country.id}
              name={country.name}
              defaultValue={firstValue(country.value)}
              required={country.required}
              {...getAriaProps(country, undefined)}
              className="input"
              list={listId}
              placeholder="Search the country"
              autoComplete="tel-country-code"
              // The list shows only what begins with what is in the field.
              onFocus={({ target }) => target.select()}
            />
            <datalist id={listId}>
              {countries.map((one) => (
                // Where the browser's name of a country differs, the server's stays.
                <option key={one.code} value={formatPhoneCountry(one)} suppressHydrationWarning />
              ))}
            </datalist>
          </div>
        </div>
        <div>
          <label htmlFor={field.id}>Phone number</label>
          <div className="control">
            <input
              // Not "tel": browsers fill in a number without its country only here.
              type="text"
              inputMode="tel"
              dir="ltr"
              id={field.id}
              name={field.name}
              defaultValue={firstValue(field.value)}
              required={field.required}
              {...getAriaProps(field, description)}
              className="input"
              autoComplete="tel-national"
            />
          </div>
        </div>
      </div>
      <div role="status">
        {valid ? (
          <p className="field-success">
            <Icon name="circle-check" /> {success}
          </p>
        ) : null}
      </div>
    </fieldset>
  );
}
