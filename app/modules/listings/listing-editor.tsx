import { CheckboxField } from "~/components/forms/checkbox-field";
import { CheckboxGroup } from "~/components/forms/checkbox-group";
import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { formState, type FieldValue, type SentBack } from "~/components/forms/form-state";
import { FormSection } from "~/components/forms/form-section";
import { SelectField } from "~/components/forms/select-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";
import { TextField } from "~/components/forms/text-field";

import { LICENSED_LOCATIONS } from "./licensed-locations";
import type { ListingForm } from "./schema.server";

interface ListingEditorProps {
  categories: { id: number; name: string }[];
  required: readonly string[];
  lastResult: SentBack | null | undefined;
  saved?: Record<string, FieldValue>;
  /** Hidden fields: the one-submit token of a new listing, or the version an edit began from. */
  hidden: Record<string, string>;
  submitLabel: string;
}

const LOCATIONS = LICENSED_LOCATIONS.map((name) => ({ value: name, label: name }));

/** The form of a listing, for a new one and for an edit alike. */
export function ListingEditor({ categories, required, lastResult, saved, hidden, submitLabel }: ListingEditorProps) {
  const form = formState<keyof ListingForm>({ id: "listing", lastResult, saved, required });
  return (
    <>
      <ErrorSummary form={form} />
      <PostForm form={form}>
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <FormSection title="About the business">
          <TextField field={form.field("name")} label="Business Name" hint="Public. As your customers know it." autoComplete="organization" />
          <SelectField
            field={form.field("category")}
            label="Category"
            hint="Public. Therapists and community groups: please answer the section made for you, too."
            placeholder="Choose a category"
            options={categories.map(({ id, name }) => ({ value: String(id), label: name }))}
          />
          <TextArea field={form.field("description")} label="About/Bio" hint="Public. What you offer, and what makes it yours." rows={6} />
        </FormSection>
        <FormSection title="Address" description="Public, so that people find you on the map.">
          <TextField field={form.field("rawaddress")} label="Address" hint="Street and number, as on an envelope." autoComplete="street-address" />
          <TextField field={form.field("city")} label="City" autoComplete="address-level2" />
          <TextField field={form.field("state")} label="State or province" autoComplete="address-level1" />
          <TextField field={form.field("postalcode")} label="ZIP / postal code" optional short autoComplete="postal-code" />
          <TextField field={form.field("country")} label="Country" optional autoComplete="country-name" />
        </FormSection>
        <FormSection title="Only for some categories" description="Leave this as it is unless your category is named here.">
          <details open={form.field("licensed_locations").errors !== undefined || undefined}>
            <summary>Therapists: where are you licensed?</summary>
            <CheckboxGroup field={form.field("licensed_locations")} legend="Where are you licensed" hint="Public." options={LOCATIONS} />
          </details>
          <CheckboxField field={form.field("queer_programming")} label="Community groups: we offer programs for queer or trans people" />
          <CheckboxField field={form.field("mission_statement")} label="Community groups: our mission statement says that we serve queer or trans people" />
        </FormSection>
        <FormSection title="Authorization">
          <CheckboxField field={form.field("third_party_auth")} label="I agree that this listing is shown publicly in the directory." />
          <CheckboxField field={form.field("certified_queer")} label="I certify that this business or organization is queer-owned or queer-serving." />
        </FormSection>
        <SubmitButton>{submitLabel}</SubmitButton>
      </PostForm>
    </>
  );
}
