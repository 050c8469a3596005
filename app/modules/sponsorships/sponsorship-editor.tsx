import { useRef, useState, type ReactNode } from "react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { FormSection } from "~/components/forms/form-section";
import { createFormState, firstValue, type FieldValue } from "~/components/forms/form-state";
import { SaveOnEnter } from "~/components/forms/save-on-enter";
import { SelectField } from "~/components/forms/select-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { UntilHydrated } from "~/components/forms/until-hydrated";
import { useFromDocument } from "~/components/forms/use-from-document";
import { useHydrated } from "~/components/forms/use-hydrated";
import { PaymentTerms } from "~/modules/billing/payment-terms";
import type { PaymentTerms as Terms } from "~/modules/billing/payment-terms.server";
import { formatDollars, SPONSORSHIP } from "~/modules/billing/prices";
import { formatCount } from "~/text/counts";
import { parseDollars } from "~/text/dollars";
import { isolate } from "~/text/isolate";

import { DateTable } from "./date-table";
import { FeatureFields, FeaturePreview } from "./feature-form";
import { FIELD_LABELS, FIELD_NAMES, type SponsorshipField } from "./fields";
import { computeTotalCents, type NewsletterDate, type UnavailableDate } from "./rules";
import type { Business } from "./sponsorship.server";
import type { SponsorshipFormData } from "./sponsorship-form.server";

interface SponsorshipEditorProps {
  businesses: readonly Business[];
  offered: readonly NewsletterDate[];
  /** The dates of the order that are not available anymore. */
  unavailable?: readonly UnavailableDate[];
  required: readonly string[];
  /** The server's answer to the form that was sent last; undefined when none was. */
  answer: SponsorshipFormData | undefined;
  saved: Record<string, FieldValue>;
  /** After a conflict: the two versions, to choose from. */
  versions?: ReactNode;
  /** The terms of a payment; null while one is on its way, so that there is nothing to pay. */
  terms: Terms | null;
  /** The submission token of a new order, or the version that an edit began from. */
  hidden: Record<string, string>;
}

const ONLY_PUBLIC =
  "Only public listings can be in a newsletter. If yours isn’t public yet, save the order and pay later.";

type FormValues = Partial<Record<SponsorshipField, FieldValue>>;

/** The current values of the form. */
function readValues(form: HTMLFormElement): FormValues {
  const data = new FormData(form);
  const texts = (name: string) => data.getAll(name).filter((value) => typeof value === "string");
  return Object.fromEntries(
    FIELD_NAMES.map((name) => [
      name,
      name === "sponsorship_dates" ? texts(name) : (texts(name)[0] ?? ""),
    ]),
  );
}

/** The form of a new or unpaid order, with its preview and its total. */
export function SponsorshipEditor({
  businesses,
  offered,
  unavailable = [],
  required,
  answer,
  saved,
  versions,
  terms,
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
  const [typed, setTyped] = useState<FormValues>({});
  const text = (name: SponsorshipField) => firstValue(typed[name] ?? field(name).value) ?? "";
  const dates = [typed.sponsorship_dates ?? field("sponsorship_dates").value ?? []].flat();
  const business = businesses.find(({ id }) => String(id) === text("place_id"));
  const canPay = terms !== null && (business?.isPublic ?? true);

  const summary = useRef<HTMLElement>(null);
  useFromDocument(summary, (element) => {
    const form = element.closest("form");
    if (form) setTyped(readValues(form));
  });

  return (
    <>
      <ErrorSummary form={form} />
      {versions}
      <PostForm
        form={form}
        className="order-form"
        version={[
          hidden["version"],
          ...[...offered.filter(({ spots }) => spots > 0), ...unavailable].map(({ date }) => date),
        ]}
        onInput={({ currentTarget }) => setTyped(readValues(currentTarget))}
      >
        <SaveOnEnter />
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div className="fields">
          <FormSection title="Your feature">
            <SelectField
              field={field("place_id")}
              label={FIELD_LABELS.place_id}
              placeholder="Choose a business"
              hint={businesses.every(({ isPublic }) => isPublic) ? undefined : ONLY_PUBLIC}
              options={businesses.map(({ id, name, isPublic }) => ({
                value: String(id),
                // Where a narrow select cuts off the name, this remains.
                label: `${isPublic ? "" : "Not public: "}${isolate(name)}`,
              }))}
            />
            <FeatureFields field={field} />
          </FormSection>
          <FormSection
            title="Price"
            description="Pay what you can. Paying more helps keep a spot affordable for someone else."
          >
            <TextField
              field={field("rate")}
              label={FIELD_LABELS.rate}
              hint={`Suggested sliding scale: ${formatDollars(SPONSORSHIP.suggestedMinCents)} to ${formatDollars(SPONSORSHIP.suggestedMaxCents)}. You can pay less.`}
              inputMode="decimal"
              short
            />
          </FormSection>
          <FormSection
            title="Dates"
            description="Every Tuesday and Thursday, with up to ten features."
          >
            <DateTable
              field={field("sponsorship_dates")}
              offered={offered}
              unavailable={unavailable}
            />
          </FormSection>
        </div>
        <section className="order-summary" aria-labelledby="preview" ref={summary}>
          <div className="marked">
            <h2 id="preview">Preview</h2>
            <UntilHydrated>
              <SubmitButton variant="quiet" name="intent" value="preview">
                Update preview
              </SubmitButton>
            </UntilHydrated>
          </div>
          <FeaturePreview
            business={business?.name ?? ""}
            promoText={text("promo_text")}
            link={text("link")}
            location={text("location")}
            photoLocation={text("photo_location")}
          />
          <div className="night pay">
            <OrderTotal rate={text("rate")} dates={hydrated || answer ? dates.length : null} />
            <SubmitButton name="intent" value="save" className="btn-gold">
              Save{canPay ? " and pay" : null}
            </SubmitButton>
            {terms && (
              <>
                <p className="hint">
                  {canPay
                    ? "We’ll hold your spots for about half an hour while you pay. You can also save without dates and pay later."
                    : "You can pay once the listing is public."}
                </p>
                <PaymentTerms terms={terms} />
              </>
            )}
          </div>
        </section>
      </PostForm>
    </>
  );
}

/**
 * The total of the order as it is typed now. Screen readers announce its changes. Without script it
 * can't follow what is ticked, and shows the price of one newsletter until the form is sent
 * (`dates` is null).
 */
function OrderTotal({ rate, dates }: { rate: string; dates: number | null }) {
  const rateCents = parseDollars(rate);
  if (dates === null)
    return (
      <p className="order-total">
        {rateCents === null ? null : `${formatDollars(rateCents)} per newsletter. `}
        You’ll see the total before you pay.
      </p>
    );
  const totalCents = computeTotalCents(rateCents, dates);
  return (
    <p className="order-total" role="status">
      <span>Total</span> <strong>{totalCents === null ? "—" : formatDollars(totalCents)}</strong>{" "}
      <span className="hint">
        {totalCents === null
          ? "Enter a price to see the total."
          : `${formatCount(dates, "newsletter")} at ${formatDollars(rateCents ?? 0)}`}
      </span>
    </p>
  );
}
