import { useForm, type SubmissionResult } from "@conform-to/react";

import { CheckboxField } from "~/components/forms/checkbox-field";
import { CheckboxGroup } from "~/components/forms/checkbox-group";
import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { FormSection } from "~/components/forms/form-section";
import { SelectField } from "~/components/forms/select-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";
import { TextField } from "~/components/forms/text-field";

import { LICENSED_LOCATIONS } from "./licensed-locations";
import type { ListingForm } from "./schema.server";

interface ListingEditorProps {
  categories: { id: number; name: string }[];
  constraint: Parameters<typeof useForm>[0]["constraint"];
  lastResult: SubmissionResult<string[]> | null | undefined;
  saved?: Record<string, unknown>;
  /** Hidden fields: the one-submit token of a new listing, or the version an edit began from. */
  hidden: Record<string, string>;
  submitLabel: string;
}

const LOCATIONS = LICENSED_LOCATIONS.map((name) => ({ value: name, label: name }));

/** The form of a listing, for a new one and for an edit alike. */
export function ListingEditor({ categories, constraint, lastResult, saved, hidden, submitLabel }: ListingEditorProps) {
  const [form, fields] = useForm<ListingForm, ListingForm, string[]>({ id: "listing", lastResult, constraint, defaultValue: saved });
  return (
    <>
      <ErrorSummary form={form} fields={fields} />
      <PostForm form={form}>
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <FormSection title="About the business">
          <TextField field={fields.name} label="Business Name" hint="Public. As your customers know it." autoComplete="organization" />
          <SelectField
            field={fields.category}
            label="Category"
            hint="Public. Therapists and community groups: please answer the section made for you, too."
            placeholder="Choose a category"
            options={categories.map(({ id, name }) => ({ value: String(id), label: name }))}
          />
          <TextArea field={fields.description} label="About/Bio" hint="Public. What you offer, and what makes it yours." rows={6} />
        </FormSection>
        <FormSection title="Address" description="Public, so that people find you on the map.">
          <TextField field={fields.rawaddress} label="Address" hint="Street and number, as on an envelope." autoComplete="street-address" />
          <TextField field={fields.city} label="City" autoComplete="address-level2" />
          <TextField field={fields.state} label="State or province" autoComplete="address-level1" />
          <TextField field={fields.postalcode} label="ZIP / postal code" optional short autoComplete="postal-code" />
          <TextField field={fields.country} label="Country" optional autoComplete="country-name" />
        </FormSection>
        <FormSection title="Only for some categories" description="Leave this as it is unless your category is named here.">
          <details open={fields.licensed_locations.errors !== undefined || undefined}>
            <summary>Therapists: where are you licensed?</summary>
            <CheckboxGroup field={fields.licensed_locations} legend="Where are you licensed" hint="Public." options={LOCATIONS} />
          </details>
          <CheckboxField field={fields.queer_programming} label="Community groups: we offer programs for queer or trans people" />
          <CheckboxField field={fields.mission_statement} label="Community groups: our mission statement says that we serve queer or trans people" />
        </FormSection>
        <FormSection title="Authorization">
          <CheckboxField field={fields.third_party_auth} label="I agree that this listing is shown publicly in the directory." />
          <CheckboxField field={fields.certified_queer} label="I certify that this business or organization is queer-owned or queer-serving." />
        </FormSection>
        <SubmitButton>{submitLabel}</SubmitButton>
      </PostForm>
    </>
  );
}
