import { Icon } from "~/components/ui/icon";
import { FieldErrors, OptionalMark, getAriaProps } from "~/components/forms/field-frame";
import { firstValue } from "~/components/forms/form-state";
import type { FormField } from "~/components/forms/form-state";

export interface PhoneCountry {
  /** ISO 3166 code, two letters: the value that is sent. */
  code: string;
  name: string;
  /** Without the plus: "1", "44". */
  dialCode: string;
}

interface PhoneFieldProps {
  /** The number as the user typed it. */
  field: FormField;
  /** The country, usually `phone_country`. Its initial value is the server's guess. */
  country: FormField;
  countries: readonly PhoneCountry[];
  legend?: string;
  hint?: string;
  /** A number of that country, shown after "Example:". */
  example?: string;
  /** Shown under a number that was found to be valid. */
  success?: string;
  optional?: boolean;
  autoComplete?: string;
}

/** A phone number: a native select for the country, and the number. Validated on the server. */
export function PhoneField({
  field,
  country,
  countries,
  legend = "Phone",
  hint,
  example,
  success,
  optional,
  autoComplete = "tel-national",
}: PhoneFieldProps) {
  const description = hint ?? example;

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
      <div className="phone">
        <div>
          <label htmlFor={country.id}>Country code</label>
          <div className="control">
            <select
              id={country.id}
              name={country.name}
              defaultValue={firstValue(country.value)}
              required={country.required}
              {...getAriaProps(country, undefined)}
              className="select"
              autoComplete="tel-country-code"
            >
              <option value="">Choose country</option>
              {countries.map(({ code, name, dialCode }) => (
                // Where the browser's name of a country differs, the server's stays.
                <option key={code} value={code} suppressHydrationWarning>
                  {`${name} (+${dialCode})`}
                </option>
              ))}
            </select>
          </div>
        </div>
        <div>
          <label htmlFor={field.id}>Phone number</label>
          <div className="control">
            <input
              type="tel"
              id={field.id}
              name={field.name}
              defaultValue={firstValue(field.value)}
              required={field.required}
              {...getAriaProps(field, description)}
              className="input"
              autoComplete={autoComplete}
            />
          </div>
        </div>
      </div>
      {success === undefined ? null : (
        <p className="field-success">
          <Icon name="circle-check" /> {success}
        </p>
      )}
    </fieldset>
  );
}
