import { useState, type ReactNode } from "react";

import { CheckboxField } from "~/components/forms/checkbox-field";
import { CheckboxGroup } from "~/components/forms/checkbox-group";
import { DraftStatus } from "~/components/forms/draft-status";
import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { FormSection } from "~/components/forms/form-section";
import { createFormState, firstValue, type FieldValue } from "~/components/forms/form-state";
import { unpackCheckboxGroups } from "~/components/forms/packed-checkboxes";
import { SearchableCheckboxes } from "~/components/forms/searchable-checkboxes";
import { SelectField } from "~/components/forms/select-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";
import { TextField } from "~/components/forms/text-field";
import { useHydrated } from "~/components/forms/use-hydrated";

import { AddressControl } from "./address-control";
import {
  BONUS_QUESTIONS,
  LISTING_FIELDS,
  MAX_SOCIAL_LENGTH,
  SOCIAL_NETWORKS,
  type ListingField,
  type TextField as ListingTextField,
} from "./fields";
import { ListingAdminSection, type ListingAdmin } from "./listing-admin-section";
import type { EditorResult } from "./listing-form.server";
import type { EditorOptions } from "./listing.server";
import type { AddressField, Picks } from "./picked-address.server";
import { COMMUNITY_GROUP, ONLINE_SHOPPING, THERAPIST } from "./rules";

interface ListingEditorProps extends EditorOptions {
  required: readonly string[];
  /** The result of the last submission; undefined before the first. */
  result: EditorResult | undefined;
  saved?: Record<string, FieldValue>;
  /** The addresses that were picked in a draft. */
  picks?: Picks;
  /** Whether the position of the saved address is approximate. */
  approximate?: boolean;
  /** Hidden fields: the submission token of a new listing, or the version that is edited. */
  hidden: Record<string, string>;
  submitLabel: string;
  /** After a conflict: the two versions, to choose from. */
  versions?: ReactNode;
  /** Where a draft is stored while someone types; undefined while an earlier one is offered. */
  draftUrl?: `/${string}` | undefined;
  /** For admins: status and owner. */
  admin?: ListingAdmin;
}

const SECTIONS = [
  { id: "about", title: "About the business" },
  { id: "where", title: "Where you are" },
  { id: "contact", title: "How people can reach you" },
  { id: "social", title: "Social media" },
  { id: "bonus", title: "Bonus Questions" },
  { id: "authorization", title: "Authorization" },
];

const AUDIENCE_HINTS = {
  public: "Public.",
  private: "Private: only our team and the people who manage this listing.",
} as const;

/** Who sees a field, and help with filling it in. */
const formatHint = (name: ListingField, help = "") =>
  `${AUDIENCE_HINTS[LISTING_FIELDS[name].audience]} ${help}`.trim();

/** The form of a listing, for a new listing and for an edit. */
export function ListingEditor({
  categories,
  onlineCategories,
  licensedLocations,
  attribution,
  required,
  result,
  saved,
  picks = {},
  approximate = false,
  hidden,
  submitLabel,
  versions,
  draftUrl,
  admin,
}: ListingEditorProps) {
  const form = createFormState<ListingField | "status" | "owner" | "owner_search" | "owner_email">({
    id: "listing",
    lastResult: result?.lastResult,
    saved,
    required,
  });
  const { field } = form;
  const hydrated = useHydrated();
  const [category, setCategory] = useState(Number(firstValue(field("category").value)));
  const found = (name: ListingField) =>
    result?.found?.field === name ? result.found.candidates : undefined;
  const text = (name: ListingTextField, help?: string) => ({
    field: field(name),
    label: LISTING_FIELDS[name].label,
    hint: formatHint(name, help),
    limit: LISTING_FIELDS[name].maxLength,
  });
  const address = (name: AddressField) => ({
    attribution,
    found: found(name),
    pick: (result?.picks ?? picks)[name],
  });

  return (
    <div className="editor">
      <ErrorSummary form={form} />
      {versions}
      <nav className="form-contents" aria-label="Sections of the form">
        <ol>
          {[...SECTIONS, ...(admin ? [{ id: "admin", title: "Admin Only" }] : [])].map(
            ({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ),
          )}
        </ol>
      </nav>
      <PostForm form={form} unsaved={draftUrl}>
        {/* Enter in a text field submits with the first button of the form. It must be "save". It has no text, which text
            browsers would show a second time. */}
        <button
          type="submit"
          name="intent"
          value="save"
          className="sr-only"
          tabIndex={-1}
          aria-hidden="true"
        />
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}

        <FormSection id="about" title="About the business">
          <TextField
            {...text("name", "The name your customers know.")}
            autoComplete="organization"
          />
          <SelectField
            field={field("category")}
            label="Category"
            hint={formatHint("category")}
            placeholder="Choose a category"
            options={categories.map(({ id, name }) => ({ value: String(id), label: name }))}
            onChange={(value) => setCategory(Number(value))}
          />
          {hydrated ? null : (
            <div>
              <p className="hint">A few categories have extra questions.</p>
              <SubmitButton variant="quiet" name="intent" value="continue" className="mt-2">
                Show extra questions
              </SubmitButton>
            </div>
          )}
          {category === ONLINE_SHOPPING ? (
            <CheckboxGroup
              field={field("online_categories")}
              legend="Online Shopping Category"
              hint={formatHint("online_categories", "Choose all that apply.")}
              optional
              wide
              options={onlineCategories.map(({ id, name }) => ({ value: String(id), label: name }))}
            />
          ) : null}
          {category === THERAPIST ? (
            <SearchableCheckboxes
              field={field("licensed_locations")}
              legend="Where are you licensed"
              hint={formatHint("licensed_locations")}
              searchLabel="Search places"
              groups={unpackCheckboxGroups(licensedLocations, field("licensed_locations").value)}
            />
          ) : null}
          {category === COMMUNITY_GROUP ? (
            <fieldset className="choice-group">
              <legend>Queer Serving Community Groups</legend>
              <p className="hint">
                To be listed as a community group, both of these need to apply. Public.
              </p>
              <CheckboxField
                field={field("queer_programming")}
                label={LISTING_FIELDS.queer_programming.label}
              />
              <CheckboxField
                field={field("mission_statement")}
                label={LISTING_FIELDS.mission_statement.label}
              />
            </fieldset>
          ) : null}
          <TextArea
            {...text("description", "What you offer and what makes it special.")}
            rows={6}
          />
        </FormSection>

        <FormSection id="where" title="Where you are">
          <AddressControl
            {...text("rawaddress", "Street, city and state. This puts you on the map.")}
            {...address("rawaddress")}
            findIntent="findAddress"
            placed={{ approximate: approximate && !result }}
          />
          <AddressControl
            {...text("mailingaddress", "Where we can send you mail.")}
            {...address("mailingaddress")}
            findIntent="findMailingAddress"
          />
        </FormSection>

        <FormSection id="contact" title="How people can reach you">
          <TextField {...text("public_email")} optional type="email" autoComplete="email" />
          <TextField {...text("phone")} optional type="tel" autoComplete="tel" />
          <TextField
            {...text("url", "Start with https://.")}
            optional
            type="url"
            inputMode="url"
            autoComplete="url"
          />
        </FormSection>

        <FormSection
          id="social"
          title="Social media"
          description={`Public. Enter your username, like @yourname, or the full link. Up to ${MAX_SOCIAL_LENGTH} characters each.`}
        >
          {SOCIAL_NETWORKS.map((network) => (
            <TextField
              key={network}
              field={field(network)}
              label={LISTING_FIELDS[network].label}
              optional
              autoCapitalize="none"
              spellCheck={false}
            />
          ))}
          <TextField
            {...text("linkedin", "Enter the full link, starting with https://.")}
            optional
            inputMode="url"
          />
        </FormSection>

        <FormSection id="bonus" title="Bonus Questions" description="Public. Check all that apply.">
          <div className="choices choices-wide">
            {BONUS_QUESTIONS.map((name) => (
              <CheckboxField key={name} field={field(name)} label={LISTING_FIELDS[name].label} />
            ))}
          </div>
        </FormSection>

        <FormSection id="authorization" title="Authorization">
          <CheckboxField
            field={field("third_party_auth")}
            label={`${LISTING_FIELDS.third_party_auth.label}.`}
            hint={formatHint("third_party_auth")}
          />
          <CheckboxField
            field={field("certified_queer")}
            label={`${LISTING_FIELDS.certified_queer.label}.`}
            hint={formatHint("certified_queer")}
          />
        </FormSection>

        {admin ? (
          <ListingAdminSection
            admin={admin}
            form={form}
            typed={result?.lastResult.initialValue}
            found={result?.people ?? undefined}
          />
        ) : null}

        <div className="buttons">
          <SubmitButton name="intent" value="save">
            {submitLabel}
          </SubmitButton>
          {draftUrl ? (
            <SubmitButton variant="quiet" name="intent" value="draft">
              Save and finish later
            </SubmitButton>
          ) : null}
        </div>
        <DraftStatus />
      </PostForm>
    </div>
  );
}
