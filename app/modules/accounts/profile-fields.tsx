import { CheckboxField } from "~/components/forms/checkbox-field";
import { type FormState } from "~/components/forms/form-state";
import { PhoneField } from "~/components/forms/phone-field";
import { TextField } from "~/components/forms/text-field";
import { paths } from "~/http/paths";

import { PROFILE_LABELS } from "./profile-labels";
import { PROFILE_LIMITS } from "./profile-limits";
import { unpackCountries } from "./phone-countries";
import type { PhoneDefaults } from "./phone.server";

type ProfileField =
  "phone" | "phone_country" | "postalcode" | "pronouns" | "opted_in" | "sms_opted_in";

const PRONOUNS = [
  "she/her",
  "he/him",
  "they/them",
  "she/they",
  "he/they",
  "ze/zir",
  "any pronouns",
];

/** Asks the server, directly and not through the router, which would reload the page's data. False when it can't say. */
async function isValidPhone(phone: string, phone_country: string): Promise<boolean> {
  try {
    const response = await fetch(paths.phoneCheck(), {
      method: "POST",
      body: new URLSearchParams({ phone, phone_country }),
    });
    return response.ok && ((await response.json()) as { valid: boolean }).valid;
  } catch {
    return false;
  }
}

interface ProfileFieldsProps {
  form: Pick<FormState<ProfileField>, "field">;
  phone: PhoneDefaults;
  /** The form was validated and has errors. A phone number without one is then shown as valid. */
  validated: boolean;
}

/** The fields that the sign-up page and the account page share. */
export function ProfileFields({ form, phone, validated }: ProfileFieldsProps) {
  const phoneIsValid =
    validated &&
    Boolean(form.field("phone").value) &&
    !form.field("phone").errors &&
    !form.field("phone_country").errors;
  return (
    <>
      <PhoneField
        field={form.field("phone")}
        country={form.field("phone_country")}
        countries={unpackCountries(phone.countries)}
        example={phone.example}
        hint="Only our team can see this."
        success="This phone number is valid."
        valid={phoneIsValid}
        check={isValidPhone}
        optional
      />
      <TextField
        field={form.field("postalcode")}
        label={PROFILE_LABELS.postalcode}
        optional
        short
        hint="Only our team can see this. It helps us count how many people are near a listing."
        limit={PROFILE_LIMITS.postalcode}
        autoComplete="postal-code"
      />
      <TextField
        field={form.field("pronouns")}
        label={PROFILE_LABELS.pronouns}
        optional
        hint="In your own words. Only our team can see this."
        suggestions={PRONOUNS}
        limit={PROFILE_LIMITS.pronouns}
        autoComplete="off"
      />
      <CheckboxField field={form.field("opted_in")} label={PROFILE_LABELS.opted_in} />
      <CheckboxField field={form.field("sms_opted_in")} label={PROFILE_LABELS.sms_opted_in} />
    </>
  );
}
