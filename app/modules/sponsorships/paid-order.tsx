import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { FormSection } from "~/components/forms/form-section";
import { createFormState, type FieldValue } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { Card } from "~/components/ui/card";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { formatDollars } from "~/modules/billing/prices";

import type { WORD_FIELDS } from "./fields";
import { NewsletterBlock } from "./newsletter-block";
import { dayInWords } from "./newsletter-days";
import type { Sponsorship } from "./sponsorship.server";
import type { EditorAnswer } from "./sponsorship-form.server";
import { WordsFields } from "./words-fields";

interface PaidOrderProps {
  sponsorship: Sponsorship;
  /** A newsletter of it is still to come. */
  mendable: boolean;
  answer: EditorAnswer | undefined;
  saved: Record<string, FieldValue>;
  hidden: Record<string, string>;
}

/** An order that is paid for: its dates, its receipt, and its words, which may be mended until they are out. */
export function PaidOrder({ sponsorship, mendable, answer, saved, hidden }: PaidOrderProps) {
  const form = createFormState<(typeof WORD_FIELDS)[number]>({
    id: "sponsorship",
    lastResult: answer?.lastResult,
    saved,
    required: ["promo_text"],
  });
  const { business, promoText, link, location, photoLocation, dates, paidCents, receiptUrl, id } =
    sponsorship;
  return (
    <>
      <ErrorSummary form={form} />
      <div className="sponsor-form">
        <div className="fields">
          <Card as="section" labelledBy="dates">
            <h2 id="dates">Your dates</h2>
            <ul>
              {dates.map((date) => (
                <li key={date}>
                  <time dateTime={date}>{dayInWords(date)}</time>
                </li>
              ))}
            </ul>
            <p>You paid {formatDollars(paidCents)}. Dates, price and business stay as they are.</p>
            <p className="buttons">
              <a href={paths.sponsorshipCalendar(id)} download>
                Add to calendar
              </a>
              {receiptUrl === null ? null : <TextLink href={receiptUrl}>Receipt</TextLink>}
            </p>
          </Card>
          {mendable ? (
            <FormSection
              title="What it says"
              description="You can mend it until the newsletter goes out."
            >
              <PostForm form={form} intent="save">
                {Object.entries(hidden).map(([name, value]) => (
                  <input key={name} type="hidden" name={name} value={value} />
                ))}
                <WordsFields field={form.field} />
                <SubmitButton>Save</SubmitButton>
              </PostForm>
            </FormSection>
          ) : null}
        </div>
        <section className="order-summary" aria-labelledby="preview">
          <h2 id="preview">{mendable ? "Preview" : "What it said"}</h2>
          <NewsletterBlock
            business={business}
            promoText={promoText}
            link={link ?? ""}
            location={location ?? ""}
            photoLocation={photoLocation ?? ""}
          />
        </section>
      </div>
    </>
  );
}
