import type { FormField } from "~/components/forms/form-state";
import { TextArea } from "~/components/forms/text-area";
import { TextField } from "~/components/forms/text-field";
import { countCharacters } from "~/text/count-characters";

import { FEATURE_LIMITS, FIELD_LABELS, type FeatureField } from "./fields";
import { MAX_PROMO_CHARACTERS } from "./rules";
import { toWebLink } from "./web-link";

/** The fields of a feature, without its business. */
export function FeatureFields({ field }: { field: (name: FeatureField) => FormField }) {
  return (
    <>
      <TextArea
        field={field("promo_text")}
        label={FIELD_LABELS.promo_text}
        hint="Public, in the newsletter. What makes your business worth a visit?"
        rows={5}
        limit={MAX_PROMO_CHARACTERS}
        count={countCharacters}
      />
      <TextField
        field={field("link")}
        label={FIELD_LABELS.link}
        limit={FEATURE_LIMITS.link}
        hint="Where readers can find out more."
        optional
        inputMode="url"
        autoComplete="url"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextField
        field={field("location")}
        label={FIELD_LABELS.location}
        limit={FEATURE_LIMITS.location}
        hint="City and state, or “online”."
        optional
      />
      <TextField
        field={field("photo_location")}
        label={FIELD_LABELS.photo_location}
        limit={FEATURE_LIMITS.photo_location}
        hint="Link to a photo we can use, such as a shared folder. Only our team sees this."
        optional
      />
    </>
  );
}

interface FeaturePreviewProps {
  business: string;
  promoText: string;
  link: string;
  location: string;
  /** Null leaves the photo out: there was none, and it is too late for one. */
  photoLocation: string | null;
}

/** A feature as the newsletter shows it, with placeholders for what is not filled in yet. */
export function FeaturePreview({
  business,
  promoText,
  link,
  location,
  photoLocation,
}: FeaturePreviewProps) {
  const url = toWebLink(link.trim());
  return (
    <div className="card letter">
      {photoLocation === null ? null : (
        <p className="photo">Your photo{photoLocation.trim() === "" ? null : ", from your link"}</p>
      )}
      <div>
        <h3 dir="auto">{business || "Your business"}</h3>
        {location.trim() === "" ? null : (
          <p className="hint" dir="auto">
            {location}
          </p>
        )}
      </div>
      <p className="words" dir="auto">
        {promoText.trim() === "" ? "What readers should know about you" : promoText}
      </p>
      {url === null ? null : (
        <p className="link-like">{new URL(url).hostname.replace(/^www\./, "")}</p>
      )}
    </div>
  );
}
