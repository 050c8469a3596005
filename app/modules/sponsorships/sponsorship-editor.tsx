import { useCallback, useState } from "react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { FormSection } from "~/components/forms/form-section";
import { createFormState, firstValue, type FieldValue } from "~/components/forms/form-state";
import { SelectField } from "~/components/forms/select-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { useHydrated } from "~/components/forms/use-hydrated";
import { SPONSORSHIP, formatDollars } from "~/modules/billing/prices";

import { DateTable } from "./date-table";
import { FIELD_LABELS, FIELD_NAMES, type SponsorshipField } from "./fields";
import { NewsletterBlock } from "./newsletter-block";
import { OrderTotal } from "./order-total";
import type { GoneBecause, NewsletterDate } from "./rules";
import type { Business } from "./sponsorship.server";
import type { EditorAnswer } from "./sponsorship-form.server";
import { WordsFields } from "./words-fields";

interface SponsorshipEditorProps {
  businesses: readonly Business[];
  offered: readonly NewsletterDate[];
  gone?: readonly { date: string; because: GoneBecause }[];
  required: readonly string[];
  /** What the server said to the form that was sent last; undefined when none was. */
  answer: EditorAnswer | undefined;
  saved: Record<string, FieldValue>;
  /** The one-submit token of a new order, or the version an edit began from. */
  hidden: Record<string, string>;
}

type Typed = Partial<Record<SponsorshipField, FieldValue>>;

/** What stands in the form now. */
function typedIn(form: HTMLFormElement): Typed {
  const now = new FormData(form);
  const texts = (name: string) => now.getAll(name).filter((value) => typeof value === "string");
  return Object.fromEntries(
    FIELD_NAMES.map((name) => [
      name,
      name === "sponsorship_dates" ? texts(name) : (texts(name)[0] ?? ""),
    ]),
  );
}

/** The form of an order, with its preview and its total: for a new one, and for one that is not paid for yet. */
export function SponsorshipEditor({
  businesses,
  offered,
  gone = [],
  required,
  answer,
  saved,
  hidden,
}: SponsorshipEditorProps) {
  const form = createFormState<SponsorshipField>({
    id: "sponsorship",
    lastResult: answer?.lastResult,
    saved,
    required,
  });
  const { field } = form;
  const hydrated = useHydrated();
  const [typed, setTyped] = useState<Typed>({});
  const text = (name: SponsorshipField) => firstValue(typed[name] ?? field(name).value) ?? "";
  const dates = [typed.sponsorship_dates ?? field("sponsorship_dates").value ?? []].flat();
  const business = businesses.find(({ id }) => String(id) === text("place_id"))?.name ?? "";

  // A browser that comes back to the page fills in what was typed before: so it is read once as it stands.
  const readOnce = useCallback((summary: HTMLElement | null) => {
    const sheet = summary?.closest("form");
    if (sheet) setTyped(typedIn(sheet));
  }, []);

  return (
    <>
      <ErrorSummary form={form} />
      <PostForm
        form={form}
        className="sponsor-form"
        onInput={({ currentTarget }) => setTyped(typedIn(currentTarget))}
      >
        {/* Enter in a text field presses a form's first button: that must be the one that saves. */}
        <button
          type="submit"
          name="intent"
          value="save"
          className="sr-only"
          tabIndex={-1}
          aria-hidden="true"
        >
          Save and pay
        </button>
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div className="fields">
          <FormSection title="Your feature">
            <SelectField
              field={field("place_id")}
              label={FIELD_LABELS.place_id}
              placeholder="Choose a business"
              options={businesses.map(({ id, name }) => ({ value: String(id), label: name }))}
            />
            <WordsFields field={field} />
          </FormSection>
          <FormSection
            title="Price"
            description="You name the price of your feature. Those who can give more make room for those who can’t."
          >
            <TextField
              field={field("rate")}
              label={FIELD_LABELS.rate}
              hint={`Sliding scale: ${formatDollars(SPONSORSHIP.suggestedMinCents)} to ${formatDollars(SPONSORSHIP.suggestedMaxCents)}. Any amount from $1 is welcome.`}
              inputMode="decimal"
              short
            />
          </FormSection>
          <FormSection
            title="Dates"
            description="The newsletter goes out each Tuesday and Thursday, with room for ten."
          >
            <DateTable field={field("sponsorship_dates")} offered={offered} gone={gone} />
          </FormSection>
        </div>
        <section className="order-summary" aria-labelledby="preview" ref={readOnce}>
          <h2 id="preview">Preview</h2>
          <NewsletterBlock
            business={business}
            promoText={text("promo_text")}
            link={text("link")}
            location={text("location")}
            photoLocation={text("photo_location")}
          />
          <OrderTotal rate={text("rate")} dates={dates.length} />
          <div className="buttons">
            <SubmitButton name="intent" value="save">
              Save and pay
            </SubmitButton>
            {hydrated ? null : (
              <SubmitButton variant="quiet" name="intent" value="preview">
                Preview
              </SubmitButton>
            )}
          </div>
          <p className="hint">
            Your spots are held for 31 minutes while you pay. Without dates the order is saved, and
            costs nothing yet.
          </p>
        </section>
      </PostForm>
    </>
  );
}
