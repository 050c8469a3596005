import { AudienceMark } from "~/components/forms/audience-mark";
import { CheckboxField } from "~/components/forms/checkbox-field";
import { CheckboxGroup } from "~/components/forms/checkbox-group";
import { DraftStatus } from "~/components/forms/draft-status";
import type { FormField } from "~/components/forms/form-state";
import { FormBar } from "~/components/forms/form-bar";
import { FormSection } from "~/components/forms/form-section";
import { PasswordField } from "~/components/forms/password-field";
import { PhoneField } from "~/components/forms/phone-field";
import { RadioGroup } from "~/components/forms/radio-group";
import SearchableCheckboxes from "~/components/forms/searchable-checkboxes";
import { SelectField } from "~/components/forms/select-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";
import { TextField } from "~/components/forms/text-field";

import { Grid, LONG_NAME, LONG_TEXT, OTHER_SCRIPT, type PartProps, sampleField } from "./samples";

const PLACES = [
  { name: "United States", options: ["Arizona", "California", "New Mexico"] },
  { name: "Canada", options: ["Ontario", "Québec"] },
];
const CHOICES = [
  { value: "online", label: "Online" },
  { value: "in-person", label: "In person", hint: "At the address of the listing." },
  { value: "long", label: LONG_NAME },
];
const COUNTRIES = [
  { code: "US", name: "United States", dialCode: "1" },
  { code: "MX", name: "Mexico", dialCode: "52" },
];

/** Who sees a field, beside its label. */
const marked = (field: FormField, audience: "public" | "private"): FormField => ({
  ...field,
  mark: { id: `${field.id}-mark`, audience },
});

/** Each kind of field: empty, filled in, wrong, optional, near its limit, and with what is long. */
export function Fields({ scheme }: PartProps) {
  const field = (...args: [string, Parameters<typeof sampleField>[2]?]) =>
    sampleField(scheme, ...args);
  const select = {
    label: "Category",
    options: CHOICES.map(({ value, label }) => ({ value, label })),
  };
  return (
    <div className="editor-form">
      <FormSection
        id={`${scheme}-section`}
        title="A section of a form"
        mark={<AudienceMark id={`${scheme}-all`} audience="private" />}
        description="What the section is about."
      >
        <Grid>
          <TextField field={marked(field("empty"), "public")} label="Business Name" />
          <TextField
            field={marked(field("optional", { required: false }), "private")}
            label="Email"
            type="email"
            hint="Where we can reach you."
            optional
          />
          <TextField
            field={field("wrong", {
              value: "kai@",
              error: "Enter an email address like name@example.com.",
            })}
            label="Email"
            type="email"
          />
          <TextField field={field("long", { value: LONG_NAME })} label={LONG_NAME} limit={120} />
          <TextField field={field("script", { value: OTHER_SCRIPT })} label="Business Name" />
          <TextField field={field("short", { value: "94114" })} label="ZIP code" short />
          <PasswordField field={field("password")} label="Password" autoComplete="new-password" />
          <SelectField field={field("select")} {...select} placeholder="Choose a category" />
          <SelectField
            field={field("select-wrong", { error: "Choose a category." })}
            {...select}
            placeholder="Choose a category"
          />
        </Grid>
        <TextArea
          field={field("text", { value: LONG_TEXT })}
          label="About/Bio"
          limit={480}
          rows={4}
        />
        <TextArea
          field={field("text-wrong", {
            value: LONG_TEXT,
            error: "Shorten your text to 100 characters.",
          })}
          label="About/Bio"
          hint="What you do, and for whom."
          limit={100}
          rows={4}
        />
        <Grid>
          <PhoneField
            field={field("phone", { value: "505-555-0100" })}
            country={field("phone_country", { value: "United States (+1)" })}
            countries={COUNTRIES}
            example="(505) 555-0100"
            success="This number is valid."
            valid
            check={async () => true}
          />
          <PhoneField
            field={field("phone-wrong", { value: "12", error: "Enter a phone number." })}
            country={field("phone-country-wrong")}
            countries={COUNTRIES}
            success="This number is valid."
            valid={false}
            check={async () => false}
            optional
          />
          <CheckboxGroup
            field={field("checks", { value: ["online"] })}
            legend="How do people reach you?"
            hint="Choose all that apply."
            options={CHOICES}
          />
          <RadioGroup
            field={field("radios", { error: "Choose one." })}
            legend="Where do you work?"
            options={CHOICES}
          />
          <CheckboxField
            field={field("agree", { value: "on" })}
            label="I agree."
            hint="You can change this later."
          />
          <CheckboxField
            field={field("agree-wrong", { error: "To continue, agree to this." })}
            label="I agree."
          />
        </Grid>
        <SearchableCheckboxes
          field={field("places", { value: ["Ontario"] })}
          legend="Licensed in"
          searchLabel="Search the states"
          groups={PLACES}
        />
        <DraftStatus />
      </FormSection>
      <FormBar
        preview={null}
        sections={[
          { id: `${scheme}-section`, title: "A section of a form", problems: 0 },
          { id: `${scheme}-wrong`, title: "Another one", problems: 3 },
        ]}
      >
        <SubmitButton>Save Updates</SubmitButton>
      </FormBar>
    </div>
  );
}
