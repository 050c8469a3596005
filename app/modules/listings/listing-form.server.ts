import { json } from "@remix-run/node";

import { readField, parseForm, buildFormResult, type FormErrorData } from "~/http/form.server";
import type { RouteContext } from "~/http/route.server";
import type { FormLabels } from "~/http/submitted-form";
import { AddressSearchUnavailable } from "~/integrations/addresses/address";
import { findAddresses, type Candidate } from "~/integrations/addresses/addresses.server";
import type { UserSummary } from "~/modules/accounts/user-picker";
import { findUsersForForm } from "~/modules/accounts/user-picker.server";

import {
  addressChoice,
  heldPick,
  type AddressChoice,
  type AddressField,
} from "./address-choice.server";
import { LISTING_FIELD_NAMES, LISTING_FIELDS } from "./fields";
import type { EditableListing } from "./listing.server";
import { listingSchema, listingSchemaOver, type ListingValues } from "./schema.server";

/** What people call the fields of the form, where the form itself is not. */
export const LISTING_WORDS: FormLabels = {
  byField: {
    ...Object.fromEntries(LISTING_FIELD_NAMES.map((name) => [name, LISTING_FIELDS[name].label])),
    status: "Status",
    owner: "Business Owner",
  },
  codes: ["category", "online_categories", "owner"],
};

/** Addresses found for what was typed in one field, to choose from. */
export interface FoundAddresses {
  field: AddressField;
  candidates: Candidate[];
}

/** What the editor gets back when the form was not saved: the form, and what there is to choose or mend. */
export interface EditorAnswer extends FormErrorData {
  found: FoundAddresses | null;
  /** The addresses chosen so far, by field. */
  picks: Partial<Record<AddressField, Candidate>>;
  stale: boolean;
  /** For admins: who was found for the owner that they look for; null when nobody was looked for. */
  people: UserSummary[] | null;
}

interface Answer {
  errors?: Record<string, string[]>;
  found?: FoundAddresses;
  picks?: EditorAnswer["picks"];
  status?: 200 | 400 | 409 | 503;
  stale?: boolean;
  people?: People;
}

/** Whom an admin found to choose from: they go with the form however often it comes back. */
type People = UserSummary[] | undefined;

type ListingSubmission = ReturnType<typeof parseForm<typeof listingSchema>>;
/** A form as it was typed, judged by nobody. */
export const typedListing = (form: FormData) => parseForm(form, listingSchema).payload;

function answer(
  lastResult: FormErrorData["lastResult"],
  { found, picks, status, stale, people }: Answer,
) {
  return json<EditorAnswer>(
    {
      lastResult,
      found: found ?? null,
      picks: picks ?? {},
      stale: stale ?? false,
      people: people ?? null,
    },
    { status: status ?? 400 },
  );
}

/** Gives the form back, with everything in it and every reason it was not saved. */
export function giveBack(submission: ListingSubmission, rest: Answer) {
  return answer(buildFormResult(submission, rest.errors), rest);
}

const NOTHING_FOUND =
  "We can’t find that address. Please check the spelling, or add the city and the state.";
const TOO_LITTLE = "Type an address first, then press “Find address”.";

/**
 * Looks up what was typed in one address field and gives the form back with what was found. Nothing was
 * to be saved, so nothing else of the form is judged.
 */
async function findForForm(form: FormData, field: AddressField, people: People) {
  const payload = typedListing(form);
  // What was picked for the other field stays picked.
  const { [field]: _, ...picks } = picksOf(form);
  const because = (sentence: string, status: Answer["status"] = 400) =>
    answer({ initialValue: payload, error: { [field]: [sentence] } }, { picks, status, people });
  const typed = readField(form, field).trim();
  if (typed === "") return because(TOO_LITTLE);
  try {
    const candidates = await findAddresses(typed);
    if (candidates.length === 0) return because(NOTHING_FOUND);
    return answer(
      { initialValue: payload, error: {} },
      { found: { field, candidates }, picks, status: 200, people },
    );
  } catch (error) {
    if (!(error instanceof AddressSearchUnavailable)) throw error;
    return because(error.message, 503);
  }
}

/** Gives the form back as it was typed, with the questions that its category calls for. */
const showQuestions = (form: FormData, people?: People) =>
  answer(
    { initialValue: typedListing(form), error: {} },
    { picks: picksOf(form), status: 200, people },
  );

/** Fills the form in again after its person was signed out, the addresses they had picked included. */
export const refillListing = async (context: Context) =>
  showQuestions(context.form, await peopleFor(context));

type Context = Pick<RouteContext<"signed in">, "db" | "session"> & { form: FormData };

/** Whom an admin's form looks for. Nobody else may look for people, whatever their form says. */
export const peopleFor = async ({ db, session, form }: Context): Promise<People> =>
  session.user.admin ? findUsersForForm(db, form) : undefined;

/** Gives the form back as it was typed, with a reason that has nothing to do with what was typed. */
export const giveBackTyped = (form: FormData, errors: Record<string, string[]>) =>
  answer({ initialValue: typedListing(form), error: errors }, { picks: picksOf(form) });

/** The addresses that were picked in a draft, as far as they still hold. */
export function picksIn(fields: Record<string, string | string[]>): EditorAnswer["picks"] {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (typeof value === "string") form.append(name, value);
  return picksOf(form);
}

const picked = (field: AddressField, pick: Candidate | null): EditorAnswer["picks"] =>
  pick ? { [field]: pick } : {};

/** The addresses that a form holds as picked. */
const picksOf = (form: FormData) => ({
  ...picked("rawaddress", heldPick(form, "rawaddress")),
  ...picked("mailingaddress", heldPick(form, "mailingaddress")),
});

/** What the editor's buttons ask for, besides saving. Null: the form is to be saved (or kept as a draft). */
export function askedOfForm(
  form: FormData,
  people?: People,
): Promise<ReturnType<typeof giveBack>> | ReturnType<typeof giveBack> | null {
  switch (readField(form, "intent")) {
    case "findAddress":
      return findForForm(form, "rawaddress", people);
    case "findMailingAddress":
      return findForForm(form, "mailingaddress", people);
    case "continue":
    case "findPerson":
      return showQuestions(form, people);
    default:
      return null;
  }
}

/** As much of a saved listing as a form is judged by. */
type SavedListing = Pick<
  EditableListing,
  "status" | "rawaddress" | "mailingaddress" | "licensed_locations"
>;

/** A listing's form that may be saved, or the response that gives it back. */
export type JudgedListing =
  | {
      values: ListingValues;
      address: AddressChoice;
      mailing: AddressChoice;
      submission: ListingSubmission;
      picks: EditorAnswer["picks"];
    }
  | { refused: ReturnType<typeof giveBack> };

/**
 * Judges a form by every rule at once: its fields, and the addresses chosen.
 * @param saved the listing as it is saved; null for a new one
 */
export async function judgeListing(
  form: FormData,
  saved: SavedListing | null,
  people?: People,
): Promise<JudgedListing> {
  const submission = parseForm(form, saved ? listingSchemaOver(saved) : listingSchema);
  const [address, mailing] = await Promise.all([
    addressChoice(form, "rawaddress", saved),
    addressChoice(form, "mailingaddress", saved),
  ]);
  const picks = {
    ...picked("rawaddress", address.pick),
    ...picked("mailingaddress", mailing.pick),
  };

  const errors: Record<string, string[]> = {};
  if (address.error) errors.rawaddress = [address.error];
  if (mailing.error) errors.mailingaddress = [mailing.error];
  if (submission.status !== "success" || Object.keys(errors).length > 0) {
    return {
      refused: giveBack(submission, {
        errors,
        picks,
        people,
        status: address.unavailable || mailing.unavailable ? 503 : 400,
      }),
    };
  }
  return { values: submission.value, address, mailing, submission, picks };
}
