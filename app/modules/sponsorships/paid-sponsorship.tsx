import type { ReactNode } from "react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { FormSection } from "~/components/forms/form-section";
import { createFormState, type FieldValue } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { Callout } from "~/components/ui/callout";
import { Card } from "~/components/ui/card";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { formatDollars } from "~/modules/billing/prices";
import { formatFullDate } from "~/text/dates";

import { CancelDates } from "./cancel-dates";
import { FeatureFields, FeaturePreview } from "./feature-form";
import type { FeatureField } from "./fields";
import type { Sponsorship } from "./sponsorship.server";
import type { SponsorshipFormData } from "./sponsorship-form.server";

interface PaidSponsorshipProps {
  sponsorship: Sponsorship;
  /** No one can find the business now, and newsletters of the order are still to come. */
  unseen: boolean;
  /** Whether a newsletter of the order is still to come. */
  coming: boolean;
  /** Whether its feature can be edited, and until when, or why not. */
  editable: boolean;
  editing: string | null;
  /** Why a dispute keeps newsletters from being canceled; null without one. */
  disputed: string | null;
  /** Its newsletters that can still be canceled, and until how many days before. */
  cancelable: readonly string[];
  deadline: number;
  answer: SponsorshipFormData | undefined;
  saved: Record<string, FieldValue>;
  /** After a conflict: the two versions, to choose from. */
  versions?: ReactNode;
  hidden: Record<string, string>;
}

/** A paid order: its dates, its receipt, and its feature, which can be edited until it is published. */
export function PaidSponsorship({
  sponsorship,
  unseen,
  coming,
  editable,
  editing,
  disputed,
  cancelable,
  deadline,
  answer,
  saved,
  versions,
  hidden,
}: PaidSponsorshipProps) {
  const form = createFormState<FeatureField>({
    id: "sponsorship",
    lastResult: answer?.lastResult,
    saved,
    required: ["promo_text"],
  });
  const {
    business,
    promoText,
    link,
    location,
    photoLocation,
    dates,
    paidCents,
    refundedCents,
    receiptUrl,
    id,
  } = sponsorship;
  return (
    <>
      <ErrorSummary form={form} />
      {versions}
      {unseen ? (
        <Callout tone="waiting" title="No one can see this listing right now">
          <p>
            We don’t feature a listing that no one can find.{" "}
            <TextLink to={paths.listingVisibility(sponsorship.placeId)}>Who sees it</TextLink>
          </p>
        </Callout>
      ) : null}
      <div className="order-form">
        <div className="fields">
          <Card as="section" labelledBy="dates">
            <h2 id="dates">Your dates</h2>
            <ul>
              {dates.map((date) => (
                <li key={date}>
                  <time dateTime={date}>{formatFullDate(date)}</time>
                </li>
              ))}
            </ul>
            <p>
              You paid {formatDollars(paidCents)}.
              {refundedCents > 0 ? ` ${formatDollars(refundedCents)} of it was refunded.` : null}
            </p>
            <p className="buttons">
              <a href={paths.sponsorshipCalendar(id)}>Add to calendar</a>{" "}
              {receiptUrl === null ? null : <TextLink href={receiptUrl}>Receipt</TextLink>}
            </p>
          </Card>
          {coming ? (
            <CancelDates dates={cancelable} deadline={deadline} disputed={disputed} />
          ) : null}
          {/* What could not be saved stays, for its writer to copy. */}
          {editable || form.typed ? (
            <FormSection title={editable ? "Your feature" : "What you typed"} description={editing}>
              <PostForm form={form} intent="save" version={[hidden["version"]]}>
                {Object.entries(hidden).map(([name, value]) => (
                  <input key={name} type="hidden" name={name} value={value} />
                ))}
                <FeatureFields field={form.field} />
                {editable ? <SubmitButton busyText="Saving…">Save</SubmitButton> : null}
              </PostForm>
            </FormSection>
          ) : (
            <p>{editing}</p>
          )}
        </div>
        <section className="order-summary" aria-labelledby="preview">
          <h2 id="preview">{editable ? "Preview" : "Your feature"}</h2>
          <FeaturePreview
            business={business}
            promoText={promoText}
            link={link ?? ""}
            location={location ?? ""}
            photoLocation={photoLocation ?? (editable ? "" : null)}
          />
        </section>
      </div>
    </>
  );
}
