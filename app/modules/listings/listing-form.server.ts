import { json } from "@remix-run/node";

import { toFormValues } from "~/components/forms/form-state";
import { buildFormResult, parseForm, readField, type FormErrorData } from "~/http/form.server";
import type { RouteContext } from "~/http/route.server";
import type { FormLabels } from "~/http/submitted-form";
import { AddressSearchUnavailable } from "~/integrations/addresses/address";
import type { UserSummary } from "~/modules/accounts/user-picker";
import { findUsersForForm, readPickedUser } from "~/modules/accounts/user-picker.server";

import {
  LISTING_FIELD_NAMES,
  LISTING_FIELDS,
  SAME_MAILING_ADDRESS,
  type ListingField,
} from "./fields";
import type { EditableListing } from "./listing.server";
import {
  ADDRESS_FIELDS,
  asTypedField,
  explainOutage,
  NOTHING_FOUND,
  readPicks,
  searchAddress,
  toPicks,
  validateAddress,
  type AddressField,
  type FoundAddresses,
  type PickedAddress,
  type Picks,
} from "./picked-address.server";
import { LISTING_STATUSES, type ListingStatus } from "./rules";
import {
  isListingEmail,
  listingSchema,
  listingSchemaFor,
  type ListingValues,
} from "./schema.server";

/** The labels of the form's fields, for pages that show the fields without the form. */
export const LISTING_FORM_LABELS: FormLabels = {
  byField: {
    ...Object.fromEntries(LISTING_FIELD_NAMES.map((name) => [name, LISTING_FIELDS[name].label])),
    mailing_same: SAME_MAILING_ADDRESS,
    status: "Status",
    owner: "Business Owner",
    owner_email: "Owner email",
  },
  codes: ["category", "online_categories", "owner"],
};

/** What the editor's action returns unless the listing was saved. */
export interface EditorResult extends FormErrorData {
  /** Addresses that were found for the text of a field, to pick from. */
  found: Partial<Record<AddressField, FoundAddresses>>;
  /** The addresses that could not be looked up: the next submission may save them as typed. */
  unavailable: AddressField[];
  /** The addresses picked so far. */
  picks: Picks;
  stale: boolean;
  /** The page of the listing that this form made before, when there is a newer version of it; otherwise null. */
  editPage: string | null;
  /** For admins: the people found for the owner search; null if there was no search. */
  people: UserSummary[] | null;
}

interface ResultParts {
  errors?: Record<string, string[]>;
  found?: EditorResult["found"];
  unavailable?: AddressField[];
  picks?: Picks;
  status?: 200 | 400 | 409 | 429 | 503;
  stale?: boolean;
  editPage?: string;
  people?: UserSummary[];
}

function editorResponse(lastResult: FormErrorData["lastResult"], parts: ResultParts) {
  const { found = {}, unavailable = [], picks = {}, stale = false, people = null } = parts;
  const { editPage = null } = parts;
  return json<EditorResult>(
    { lastResult, found, unavailable, picks, stale, editPage, people },
    { status: parts.status ?? 400 },
  );
}

type EditorResponse = ReturnType<typeof editorResponse>;
type ListingSubmission = ReturnType<typeof parseForm<typeof listingSchema>>;

/** A form as it was typed, without its validation. */
export const readTypedForm = (form: FormData) => parseForm(form, listingSchema).payload;

/** The columns of a saved listing as its form sends them: text, "on" for a ticked box. */
export const toListingColumns = (listing: Readonly<Record<ListingField, unknown>>) =>
  toFormValues(listing, LISTING_FIELD_NAMES);

/** The same, with the box that follows from them. */
export function toListingFormValues(listing: Readonly<Record<ListingField, unknown>>) {
  const values = toListingColumns(listing);
  const same = values.rawaddress !== "" && values.mailingaddress === values.rawaddress;
  return { ...values, mailing_same: same ? "on" : "" };
}

/** "Mailing address is the same": the form sends no other one. */
const hasSameMailing = (form: FormData) => readField(form, "mailing_same") === "on";

/** The fields in the order of the page, after what concerns the form as a whole. */
const PAGE_ORDER = ["", ...LISTING_FIELD_NAMES, "status", "owner_email", "owner"];

/** The form as it was typed, with its validation errors and those of the parts. */
function listingErrorResponse(form: FormData, submission: ListingSubmission, parts: ResultParts) {
  const result = buildFormResult(submission, parts.errors, PAGE_ORDER);
  if (hasSameMailing(form)) {
    // An error of the address appears once, at its own field.
    delete result.error["mailingaddress"];
    // Two versions are compared by what they save. Otherwise, what was typed stays for when the box is cleared.
    Object.assign(
      result.initialValue,
      parts.stale ? { mailing_same: "" } : { mailingaddress: readField(form, "mailingaddress") },
    );
  }
  // A picked address is saved as it was found, so it counts as no difference if that is what is
  // saved.
  if (parts.stale)
    for (const field of ADDRESS_FIELDS) {
      const pick = parts.picks?.[field];
      if (pick) Object.assign(result.initialValue, { [field]: pick.label });
    }
  return editorResponse(result, parts);
}

/** The form as it was typed, without validation. */
export function typedFormResponse(form: FormData, { errors = {}, ...parts }: ResultParts) {
  return editorResponse(
    { initialValue: readTypedForm(form), error: errors },
    {
      picks: readPicks(form),
      unavailable: ADDRESS_FIELDS.filter((field) => form.has(asTypedField(field))),
      ...parts,
    },
  );
}

/** Who fills in a listing's form. */
export interface Editor {
  /** The id of their account. */
  user: string;
  /** For admins: the people found for the owner search. */
  people?: UserSummary[] | undefined;
}

const NOTHING_TYPED = "Type an address first, then select “Find address”.";

/** The form with the addresses that were found for one field. Nothing else is validated. */
async function addressSearchResponse(
  form: FormData,
  field: AddressField,
  { user, people }: Editor,
) {
  // A search starts this field over; the pick of the other field stays.
  const { [field]: _, ...picks } = readPicks(form);
  const respond = (parts: ResultParts) => typedFormResponse(form, { picks, people, ...parts });
  const typed = readField(form, field).trim();
  if (typed === "") return respond({ errors: { [field]: [NOTHING_TYPED] } });
  try {
    const found = await searchAddress(typed, user);
    return found.candidates.length === 0
      ? respond({ errors: { [field]: [NOTHING_FOUND] } })
      : respond({ found: { [field]: found }, status: 200 });
  } catch (error) {
    if (!(error instanceof AddressSearchUnavailable)) throw error;
    const errors = { [field]: [explainOutage(field, error)] };
    return respond({ errors, unavailable: [field], status: error.status });
  }
}

type FormContext = Pick<RouteContext<"signed in">, "db" | "session"> & { form: FormData };

/** The people that an admin's form searches for. Only admins may search for people. */
export const findPeopleForAdmin = async ({
  db,
  session,
  form,
}: FormContext): Promise<UserSummary[] | undefined> =>
  session.user.admin ? findUsersForForm(db, form) : undefined;

/** The form filled in again after its user had to sign in, with the addresses that were picked. */
export const refillListingForm = async (context: FormContext) =>
  typedFormResponse(context.form, { status: 200, people: await findPeopleForAdmin(context) });

/**
 * The response to the editor's buttons that only change the form.
 * @returns null for the buttons that save the listing or a draft
 */
export async function handleEditorButton(
  form: FormData,
  editor: Editor,
): Promise<EditorResponse | null> {
  switch (readField(form, "intent")) {
    case "findAddress":
      return addressSearchResponse(form, "rawaddress", editor);
    case "findMailingAddress":
      return addressSearchResponse(form, "mailingaddress", editor);
    case "continue":
    case "findPerson":
      return typedFormResponse(form, { status: 200, people: editor.people });
    default:
      return null;
  }
}

/** The picks that a draft carries, as far as they are still valid. */
export function readDraftPicks(fields: Record<string, string | string[]>): Picks {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (typeof value === "string") form.append(name, value);
  return readPicks(form);
}

/** A draft of an edit, shown as the editor shows a form that came back. */
export const toEditorResult = (fields: Record<string, string | string[]>): EditorResult => ({
  lastResult: { initialValue: fields, error: {}, stored: true },
  found: {},
  unavailable: [],
  picks: readDraftPicks(fields),
  stale: false,
  editPage: null,
  people: null,
});

/** What the validation needs from a saved listing. */
type SavedListing = Pick<
  EditableListing,
  "status" | "rawaddress" | "mailingaddress" | "licensed_locations"
>;

/** A listing that may be saved. */
export interface ValidListing {
  values: ListingValues;
  address: PickedAddress;
  mailing: PickedAddress;
  /** The form with errors that the save found. */
  errorResponse: (parts: Omit<ResultParts, "picks">) => EditorResponse;
}

/**
 * Validates a listing's form by all rules at once: those of its fields, and those of its addresses.
 * A form that is rejected shows what was found for addresses that had not been looked up.
 * @param saved the listing that is edited; null for a new one
 * @returns the listing, or the response that shows the form with its errors
 */
export async function validateListing(
  form: FormData,
  saved: SavedListing | null,
  { user, people }: Editor,
): Promise<ValidListing | { invalid: EditorResponse }> {
  const same = hasSameMailing(form);
  const whole = same ? withSameMailing(form) : form;
  const submission = parseForm(whole, saved ? listingSchemaFor(saved) : listingSchema);
  const [address, other] = await Promise.all([
    validateAddress(whole, "rawaddress", saved, user),
    same ? null : validateAddress(whole, "mailingaddress", saved, user),
  ]);
  const mailing = other ?? { ...address, error: null };
  const parts = { rawaddress: address, mailingaddress: mailing };
  const unavailable = ADDRESS_FIELDS.filter((field) => parts[field].unavailable !== null);
  const typedPicks = readPicks(form);
  const errorResponse: ValidListing["errorResponse"] = (given) =>
    listingErrorResponse(form, submission, {
      picks: toPicks((field) =>
        same && field === "mailingaddress" && !given.stale
          ? (typedPicks.mailingaddress ?? null)
          : parts[field].pick,
      ),
      unavailable,
      people,
      ...given,
    });

  const errors: Record<string, string[]> = {};
  for (const field of ADDRESS_FIELDS) if (parts[field].error) errors[field] = [parts[field].error];
  if (submission.status === "success" && Object.keys(errors).length === 0)
    return { values: submission.value, address, mailing, errorResponse };
  const refused = unavailable.find((field) => parts[field].error);
  const status = (refused && parts[refused].unavailable) ?? 400;
  const found: EditorResult["found"] = {};
  for (const field of same ? (["rawaddress"] as const) : ADDRESS_FIELDS) {
    const candidates =
      parts[field].found ?? (await searchForPick(whole, field, parts[field], user));
    if (candidates && candidates.candidates.length > 0) found[field] = candidates;
  }
  return { invalid: errorResponse({ errors, status, found }) };
}

/** The form as if the address on the map, and what was picked for it, had been entered for mail as well. */
function withSameMailing(form: FormData): FormData {
  const whole = new FormData();
  for (const [name, value] of form)
    if (!name.startsWith("mailingaddress")) whole.append(name, value);
  for (const [name, value] of form)
    if (name.startsWith("rawaddress"))
      whole.append(name.replace("rawaddress", "mailingaddress"), value);
  return whole;
}

/** On a form that is rejected anyway: what is found for a new address that would be saved as typed. */
async function searchForPick(
  form: FormData,
  field: AddressField,
  { address, changed, unavailable }: PickedAddress,
  user: string,
): Promise<FoundAddresses | null> {
  const typed = readField(form, field).trim();
  if (typed === "" || address || !changed || unavailable !== null) return null;
  try {
    return await searchAddress(typed, user);
  } catch (error) {
    if (!(error instanceof AddressSearchUnavailable)) throw error;
    return null;
  }
}

/** What an admin's form changes besides the fields of the listing. */
export interface AdminChanges {
  status?: ListingStatus;
  owner?: string | null;
  owner_email?: string;
}

/**
 * Reads the status and the owner from an admin's form. A value that is the same as when the form
 * was opened doesn't count as a change: another admin may have changed it since, and that must not
 * be undone.
 */
export function readAdminChanges(form: FormData): AdminChanges {
  const changes: AdminChanges = {};
  const status = LISTING_STATUSES.find((one) => one === readField(form, "status"));
  if (status !== undefined && status !== readField(form, "status_seen")) changes.status = status;
  const choice = readPickedUser(form);
  const owner = choice.kind === "user" ? choice.id : null;
  if (choice.kind !== "unchanged" && (owner ?? "") !== readField(form, "owner_seen"))
    changes.owner = owner;
  // Only a listing without one has this field. An owner who is selected brings their own.
  const email = readField(form, "owner_email").trim().toLowerCase();
  if (email !== "" && !changes.owner) changes.owner_email = email;
  return changes;
}

/** Why an admin's changes can't be saved, by field; null when they can. */
export const getAdminErrors = ({ owner_email }: AdminChanges): Record<string, string[]> | null =>
  owner_email === undefined || isListingEmail(owner_email)
    ? null
    : { owner_email: ["Enter an email address like name@example.com."] };
