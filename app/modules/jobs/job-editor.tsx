import type { ReactNode } from "react";

import { CheckboxField } from "~/components/forms/checkbox-field";
import { DraftStatus } from "~/components/forms/draft-status";
import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { FormSection } from "~/components/forms/form-section";
import { createFormState, firstValue, type FieldValue } from "~/components/forms/form-state";
import {
  unpackCheckboxGroups,
  type PackedCheckboxGroup,
} from "~/components/forms/packed-checkboxes";
import SearchableCheckboxes from "~/components/forms/searchable-checkboxes";
import { SaveOnEnter } from "~/components/forms/save-on-enter";
import { SelectField } from "~/components/forms/select-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";
import { TextField } from "~/components/forms/text-field";
import { PaymentTerms } from "~/modules/billing/payment-terms";
import type { PaymentTerms as Terms } from "~/modules/billing/payment-terms.server";
import { isolate } from "~/text/isolate";

import { JOB_FIELDS, JOB_KINDS, JOB_LIMITS, type JobField, type JobOptions } from "./fields";
import type { JobFormData } from "./job-form.server";
import { JobOwnerSection, type JobOwner } from "./job-owner-section";
import { NOT_LISTED } from "./rules";

interface JobEditorProps extends JobOptions {
  locations: readonly PackedCheckboxGroup[];
  required: readonly string[];
  /** The server's answer to the form that was sent last; undefined when none was. */
  answer: JobFormData | undefined;
  saved: Partial<Record<JobField, FieldValue>>;
  /** Hidden fields: the submission token of a new job, or the version that an edit began from. */
  hidden: Record<string, string>;
  /** After a conflict: the two versions, to choose from. */
  versions?: ReactNode;
  /** The terms of its payment, when saving leads there; null once it is paid for. */
  terms: Terms | null;
  /** What it costs, beside the button that leads to its payment. */
  price: ReactNode;
  /** Where a draft is stored while someone types; undefined while an earlier one is offered. */
  draftUrl: `/${string}` | undefined;
  /** For admins. */
  owner?: JobOwner;
}

/** The form of a new or existing job. */
export function JobEditor({
  categories,
  listings,
  locations,
  required,
  answer,
  saved,
  hidden,
  versions,
  terms,
  price,
  draftUrl,
  owner,
}: JobEditorProps) {
  const form = createFormState<JobField | "owner" | "owner_search">({
    id: "job",
    lastResult: answer?.lastResult,
    saved: { owner: owner?.person?.id ?? "", ...saved },
    required,
  });
  const { field } = form;
  // As it was sent or saved.
  const place = firstValue(field("place_id").value) ?? "";
  const wasUnlisted = place === "" || place === NOT_LISTED;
  const wasAlly = field("ally_owned").value === "on";
  /**
   * Whether one of these fields has an error. Errors that were found while the form didn't ask for
   * the field are shown, too.
   */
  const has = (...names: JobField[]) => names.some((name) => field(name).errors);
  const fieldProps = (name: JobField, hint?: string) => ({
    field: field(name),
    label: JOB_FIELDS[name],
    hint,
  });
  const textProps = (name: keyof typeof JOB_LIMITS, hint?: string) => ({
    ...fieldProps(name, hint),
    limit: JOB_LIMITS[name],
  });

  return (
    <>
      <ErrorSummary form={form} />
      {versions}
      <PostForm form={form} unsaved={draftUrl} className="order-form" version={[hidden["version"]]}>
        {/* "Find person" is before it there. */}
        {owner?.mayChange ? <SaveOnEnter /> : null}
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}

        <div className="fields">
          <FormSection title="The job">
            <TextField
              {...textProps("title", "A title people would search for, like “Pastry chef”.")}
            />
            <SelectField
              {...fieldProps("category")}
              placeholder="Choose a category"
              options={categories.map(({ id, name }) => ({ value: String(id), label: name }))}
            />
            <TextArea
              {...textProps(
                "description",
                "What the job involves, who you’re looking for and how to apply.",
              )}
              rows={8}
            />
            <fieldset className="choice-group">
              <legend>Type of work</legend>
              <p className="hint">Choose all that apply.</p>
              <div className="choices">
                {JOB_KINDS.map((name) => (
                  <CheckboxField key={name} field={field(name)} label={JOB_FIELDS[name]} />
                ))}
              </div>
            </fieldset>
            <TextField
              {...textProps(
                "pay_range",
                "Jobs that list their pay earn more trust. For example, “$22–26 an hour”.",
              )}
              optional
            />
            <TextField
              {...textProps("url", "Start with https://.")}
              type="url"
              inputMode="url"
              optional
            />
          </FormSection>

          <FormSection title="Where it is">
            <SearchableCheckboxes
              field={field("location")}
              legend="Location"
              searchLabel="Search locations"
              groups={unpackCheckboxGroups(locations, field("location").value)}
            />
            <TextField {...textProps("city")} optional />
            <CheckboxField {...fieldProps("remote")} />
          </FormSection>

          <FormSection title="Who is hiring">
            <SelectField
              {...fieldProps(
                "place_id",
                "If you choose a listing, the job shows its name and bio, as long as the listing is public. Any other company name and bio are removed when you save.",
              )}
              placeholder="Choose your business"
              options={[
                ...listings.map(({ id, name }) => ({ value: String(id), label: isolate(name) })),
                { value: NOT_LISTED, label: "This business is not listed" },
              ]}
            />
            <div
              className={
                wasUnlisted || !has("company_name", "company_bio") ? "fields if-unlisted" : "fields"
              }
            >
              <TextField
                {...textProps("company_name", "Required if the business isn’t listed.")}
                autoComplete="organization"
              />
              <TextArea
                {...textProps(
                  "company_bio",
                  "Required if the business isn’t listed. Who you are and what you do.",
                )}
                rows={4}
              />
            </div>
            <fieldset className="choice-group">
              <legend>Who owns the company</legend>
              <div className="choices">
                <CheckboxField {...fieldProps("queer_owned")} />
                <CheckboxField {...fieldProps("ally_owned")} />
              </div>
            </fieldset>
            <div className={wasAlly || !has("ally_safety") ? "if-ally" : undefined}>
              <TextArea
                {...textProps(
                  "ally_safety",
                  "Required if the company is ally-owned. For example, names and pronouns, benefits, training and who to turn to.",
                )}
                rows={4}
              />
            </div>
          </FormSection>

          {owner ? (
            <JobOwnerSection
              owner={owner}
              field={field("owner")}
              search={field("owner_search")}
              found={answer?.found ?? undefined}
            />
          ) : null}
        </div>

        <div className="order-summary">
          {terms ? (
            <div className="night pay">
              <p className="price">{price}</p>
              <SubmitButton name="intent" value="save" className="btn-gold">
                Save and pay
              </SubmitButton>
              <PaymentTerms terms={terms} />
            </div>
          ) : null}
          <div className="buttons">
            {terms ? (
              <SubmitButton variant="quiet" name="intent" value="later">
                Save and pay later
              </SubmitButton>
            ) : (
              <SubmitButton name="intent" value="save" busyText="Saving…">
                Save Updates
              </SubmitButton>
            )}
            {draftUrl ? (
              <SubmitButton variant="quiet" name="intent" value="draft">
                Finish later
              </SubmitButton>
            ) : null}
          </div>
          <DraftStatus />
        </div>
      </PostForm>
    </>
  );
}
