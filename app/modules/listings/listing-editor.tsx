import { startTransition, useState, type ReactNode } from "react";

import { AudienceMark } from "~/components/forms/audience-mark";
import { CheckboxField } from "~/components/forms/checkbox-field";
import { CheckboxGroup } from "~/components/forms/checkbox-group";
import { DraftStatus } from "~/components/forms/draft-status";
import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { FormBar } from "~/components/forms/form-bar";
import { FormSection } from "~/components/forms/form-section";
import {
  createFormState,
  firstValue,
  toFieldName,
  type FieldValue,
} from "~/components/forms/form-state";
import { unpackCheckboxGroups } from "~/components/forms/packed-checkboxes";
import { SaveOnEnter } from "~/components/forms/save-on-enter";
import { SelectField } from "~/components/forms/select-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";
import { TextField } from "~/components/forms/text-field";
import { UntilHydrated } from "~/components/forms/until-hydrated";
import { lazyPart } from "~/components/layout/lazy-part";
import { Icon } from "~/components/ui/icon";

import { AddressControl } from "./address-control";
import {
  BONUS_QUESTIONS,
  LISTING_FIELD_NAMES,
  LISTING_FIELDS,
  SAME_MAILING_ADDRESS,
  SOCIAL_NETWORKS,
  type ListingField,
  type TextField as ListingTextField,
} from "./fields";
import type { ListingAdmin } from "./listing-admin-section";
import { ListingCard } from "./listing-card";
import type { EditorResult } from "./listing-form.server";
import type { EditorOptions } from "./listing.server";
import type { AddressField, Picks } from "./picked-address.server";
import { COMMUNITY_GROUP, ONLINE_SHOPPING, THERAPIST } from "./rules";

// Few need them.
const ListingAdminSection = lazyPart(
  "listing-admin-section",
  () => import("./listing-admin-section"),
);
const SearchableCheckboxes = lazyPart(
  "searchable-checkboxes",
  () => import("~/components/forms/searchable-checkboxes"),
  QuestionsButton,
);

/** Shows the questions of a category without script. */
function QuestionsButton() {
  return (
    <SubmitButton variant="quiet" name="intent" value="continue">
      Show extra questions
    </SubmitButton>
  );
}

const CATEGORY_HINT = (
  <>
    The closest match. <noscript>A few have extra questions.</noscript>
  </>
);

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
  /** After a conflict: the two versions, to choose from, or the way to them. */
  versions?: ReactNode;
  /** Where a draft is stored while someone types; undefined while an earlier one is offered. */
  draftUrl?: `/${string}` | undefined;
  /** What the preview shows of the saved version, and its URL. */
  preview?: { url: string; place: string; featured: boolean };
  /** What saving does, beside the buttons. */
  note?: string | undefined;
  /** For admins: status and owner. */
  admin?: ListingAdmin;
}

interface Section {
  id: string;
  title: string;
  /** Its first field; it ends where the next section begins. */
  first: ListingField | "status";
}

const SECTIONS: readonly Section[] = [
  { id: "about", title: "About the business", first: "name" },
  { id: "where", title: "Where you are", first: "rawaddress" },
  { id: "contact", title: "How people can reach you", first: "public_email" },
  { id: "social", title: "Social media", first: "tiktok" },
  { id: "bonus", title: "Bonus Questions", first: "online" },
  { id: "authorization", title: "Authorization", first: "third_party_auth" },
];
const ADMIN_SECTION: Section = { id: "admin", title: "Admin Only", first: "status" };

/** The sections of which all fields are public: their headings have the mark, and not each field. */
const PUBLIC_SECTIONS = ["about", "contact", "social", "bonus"];

/** The section of a field by its place in the form. */
function getSection(name: string): string {
  const place = LISTING_FIELD_NAMES.indexOf(name as ListingField);
  const begun = SECTIONS.filter(
    ({ first }) => LISTING_FIELD_NAMES.indexOf(first as ListingField) <= place,
  );
  return (begun.pop() ?? ADMIN_SECTION).id;
}

/** The mark of a field: its own, or that of its section. */
function getMark(name: ListingField) {
  // "Private" beside "shown publicly" would read as a contradiction.
  if (name === "third_party_auth") return undefined;
  const section = getSection(name);
  return PUBLIC_SECTIONS.includes(section)
    ? { id: `${section}-mark` }
    : { id: `listing-${name}-mark`, audience: LISTING_FIELDS[name].audience };
}

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
  preview,
  note,
  admin,
}: ListingEditorProps) {
  const form = createFormState<
    ListingField | "mailing_same" | "status" | "owner" | "owner_search" | "owner_email"
  >({
    id: "listing",
    lastResult: result?.lastResult,
    saved,
    required,
  });
  const field = (name: ListingField) => ({ ...form.field(name), mark: getMark(name) });
  const problems = Object.keys(form.errors).filter((path) => path !== "");
  const [category, setCategory] = useState(Number(firstValue(field("category").value)));
  const getText = (name: ListingField) => firstValue(form.field(name).value) ?? "";
  const text = (name: ListingTextField, hint?: string) => ({
    field: field(name),
    label: LISTING_FIELDS[name].label,
    hint,
    limit: LISTING_FIELDS[name].maxLength,
  });
  const picked = result?.picks ?? picks;
  const isSavedPlace = getText("rawaddress") === firstValue(saved?.["rawaddress"]);
  const place = picked.rawaddress?.label ?? (isSavedPlace ? (preview?.place ?? "") : "");
  const address = (name: AddressField) => ({
    attribution,
    found: result?.found[name],
    unavailable: result?.unavailable.includes(name) ?? false,
    pick: picked[name],
    // The summary of the errors comes first.
    focusFound: Object.keys(form.errors).length === 0,
  });
  const section = (id: string) => ({
    id,
    title: SECTIONS.find((one) => one.id === id)?.title ?? "",
    mark: PUBLIC_SECTIONS.includes(id) ? (
      <AudienceMark id={`${id}-mark`} audience="public" />
    ) : undefined,
  });

  return (
    <div className="editor">
      <ErrorSummary form={form} />
      {versions}
      <PostForm
        form={form}
        unsaved={draftUrl}
        className="editor-form"
        version={[hidden["version"]]}
      >
        <SaveOnEnter />
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}

        <div className="fields">
          <FormSection {...section("about")}>
            <TextField
              {...text("name", "The name your customers know.")}
              autoComplete="section-name organization"
            />
            <SelectField
              field={field("category")}
              label="Category"
              hint={CATEGORY_HINT}
              placeholder="Choose a category"
              options={categories.map(({ id, name }) => ({ value: String(id), label: name }))}
              // It may add a lazy part.
              onChange={(value) => startTransition(() => setCategory(Number(value)))}
              // Not below it: what comes after would move when this goes.
              beside={
                <UntilHydrated>
                  <QuestionsButton />
                </UntilHydrated>
              }
            />
            {category === ONLINE_SHOPPING ? (
              <CheckboxGroup
                field={field("online_categories")}
                legend="Online Shopping Category"
                hint="Choose all that apply."
                optional
                wide
                options={onlineCategories.map(({ id, name }) => ({
                  value: String(id),
                  label: name,
                }))}
              />
            ) : null}
            {category === THERAPIST ? (
              <SearchableCheckboxes
                field={field("licensed_locations")}
                legend="Where are you licensed"
                searchLabel="Search places"
                groups={unpackCheckboxGroups(licensedLocations, field("licensed_locations").value)}
              />
            ) : null}
            {category === COMMUNITY_GROUP ? (
              <fieldset className="choice-group">
                <legend>Queer Serving Community Groups</legend>
                <p className="hint">
                  To be listed as a community group, both of these need to apply.
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

          <FormSection {...section("where")}>
            <AddressControl
              {...text("rawaddress", "Street, city and state. This puts you on the map.")}
              {...address("rawaddress")}
              findIntent="findAddress"
              placed={{ approximate: approximate && !result }}
            />
            <div className="same-mailing">
              <CheckboxField field={form.field("mailing_same")} label={SAME_MAILING_ADDRESS} />
              <AddressControl
                {...text(
                  "mailingaddress",
                  "Where we can send you mail. Only our team and the people who manage this listing see it.",
                )}
                {...address("mailingaddress")}
                findIntent="findMailingAddress"
              />
            </div>
          </FormSection>

          <FormSection {...section("contact")}>
            {/* Each is a section of its own: a browser that fills in one of them from its user's own contact doesn't fill
                in the other ones, which everyone would see. */}
            <TextField
              {...text("public_email")}
              optional
              type="email"
              autoComplete="section-email work email"
            />
            <TextField
              {...text("phone")}
              optional
              type="tel"
              autoComplete="section-phone work tel"
            />
            <TextField
              {...text("url", "Start with https://.")}
              optional
              type="url"
              inputMode="url"
              autoComplete="url"
            />
          </FormSection>

          <FormSection
            {...section("social")}
            description="All optional. Enter your username, like @yourname, or the full link. For LinkedIn, enter the full link."
          >
            {SOCIAL_NETWORKS.map((network) => (
              <TextField
                key={network}
                field={field(network)}
                label={
                  <>
                    <Icon name={network} /> {LISTING_FIELDS[network].label}
                  </>
                }
                autoCapitalize="none"
                spellCheck={false}
              />
            ))}
            <TextField
              {...text("linkedin")}
              label={
                <>
                  <Icon name="linkedin" /> {LISTING_FIELDS.linkedin.label}
                </>
              }
              inputMode="url"
            />
          </FormSection>

          <FormSection {...section("bonus")} description="Choose all that apply.">
            <div className="choices choices-wide">
              {BONUS_QUESTIONS.map((name) => (
                <CheckboxField key={name} field={field(name)} label={LISTING_FIELDS[name].label} />
              ))}
            </div>
          </FormSection>

          <FormSection {...section("authorization")}>
            <CheckboxField
              field={field("third_party_auth")}
              label={`${LISTING_FIELDS.third_party_auth.label}.`}
            />
            <CheckboxField
              field={field("certified_queer")}
              label={`${LISTING_FIELDS.certified_queer.label}.`}
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
        </div>
        <FormBar
          preview={
            <ListingCard
              getText={getText}
              kind={categories.find(({ id }) => id === category)?.name ?? ""}
              place={place}
              featured={preview?.featured ?? false}
              saved={preview?.url}
            />
          }
          sections={[...SECTIONS, ...(admin ? [ADMIN_SECTION] : [])].map(({ id, title }) => ({
            id,
            title,
            problems: problems.filter((path) => getSection(toFieldName(path)) === id).length,
          }))}
        >
          <div className="buttons">
            <SubmitButton name="intent" value="save" busyText="Saving…">
              {submitLabel}
            </SubmitButton>
            {draftUrl ? (
              <SubmitButton variant="quiet" name="intent" value="draft">
                Finish later
              </SubmitButton>
            ) : null}
          </div>
          {note === undefined ? null : <p className="hint">{note}</p>}
          <DraftStatus />
        </FormBar>
      </PostForm>
    </div>
  );
}
