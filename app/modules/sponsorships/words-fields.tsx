import type { FormField } from "~/components/forms/form-state";
import { TextArea } from "~/components/forms/text-area";
import { TextField } from "~/components/forms/text-field";

import { FIELD_LABELS, type WORD_FIELDS } from "./fields";
import { PROMO_LIMIT } from "./rules";

/** What a feature says, besides the name of the business. */
export function WordsFields({
  field,
}: {
  field: (name: (typeof WORD_FIELDS)[number]) => FormField;
}) {
  return (
    <>
      <TextArea
        field={field("promo_text")}
        label={FIELD_LABELS.promo_text}
        hint="Public, in the newsletter. What makes you worth a visit?"
        rows={5}
        limit={PROMO_LIMIT}
      />
      <TextField
        field={field("link")}
        label={FIELD_LABELS.link}
        hint="Where readers go from there."
        optional
        inputMode="url"
        autoComplete="url"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextField
        field={field("location")}
        label={FIELD_LABELS.location}
        hint="City and state, or “online”."
        optional
      />
      <TextField
        field={field("photo_location")}
        label={FIELD_LABELS.photo_location}
        hint="Where we find a photo: a link to a shared folder, for example. Only the newsletter’s team sees it."
        optional
      />
    </>
  );
}
