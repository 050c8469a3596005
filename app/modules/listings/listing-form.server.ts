import { json } from "@remix-run/node";

import { fieldText, parseForm, sentBack, type Refusal } from "~/http/form.server";
import { AddressSearchUnavailable } from "~/integrations/addresses/address";
import { findAddresses } from "~/integrations/addresses/addresses.server";

import { addressChoice, type AddressChoice, type AddressField } from "./address-choice.server";
import { LISTING_FIELD_NAMES, type ListingField } from "./fields";
import { choiceName } from "./newer-version";
import { listingSchema, type ListingValues } from "./schema.server";

/** Addresses found for what was typed in one field, to choose from. */
export interface FoundAddresses {
  field: AddressField;
  candidates: { label: string; token: string }[];
}

/** What the editor gets back when the form was not saved: the form, and what there is to choose or mend. */
export interface EditorAnswer extends Refusal {
  found: FoundAddresses | null;
  /** The addresses chosen so far, by field. */
  picks: Partial<Record<AddressField, { token: string; label: string }>>;
  stale: boolean;
}

interface Answer {
  errors?: Record<string, string[]>;
  found?: FoundAddresses;
  picks?: EditorAnswer["picks"];
  status?: 200 | 400 | 409 | 503;
  stale?: boolean;
}

type ListingSubmission = ReturnType<typeof parseListing>;
/** A form as it was typed, judged by nobody. */
export const typedListing = (form: FormData) => parseListing(form).payload;
const parseListing = (form: FormData) => parseForm(form, listingSchema);

function answer(lastResult: Refusal["lastResult"], { found, picks, status, stale }: Answer) {
  return json<EditorAnswer>({ lastResult, found: found ?? null, picks: picks ?? {}, stale: stale ?? false }, { status: status ?? 400 });
}

/** Gives the form back, with everything in it and every reason it was not saved. */
export function giveBack(submission: ListingSubmission, rest: Answer) {
  return answer(sentBack(submission, rest.errors), rest);
}

const NOTHING_FOUND = "We can’t find that address. Please check the spelling, or add the city and the state.";
const TOO_LITTLE = "Type an address first, then press “Find address”.";

/**
 * Looks up what was typed in one address field and gives the form back with what was found. Nothing was
 * to be saved, so nothing else of the form is judged.
 */
async function findForForm(form: FormData, field: AddressField) {
  const payload = typedListing(form);
  const picks = await picksSoFar(form, field);
  const because = (sentence: string, status: Answer["status"] = 400) =>
    answer({ initialValue: payload, error: { [field]: [sentence] } }, { picks, status });
  const typed = fieldText(form, field).trim();
  if (typed === "") return because(TOO_LITTLE);
  try {
    const candidates = await findAddresses(typed);
    if (candidates.length === 0) return because(NOTHING_FOUND);
    return answer({ initialValue: payload, error: {} }, { found: { field, candidates }, picks, status: 200 });
  } catch (error) {
    if (!(error instanceof AddressSearchUnavailable)) throw error;
    return because(error.message, 503);
  }
}

/** Gives the form back as it was typed, with the questions that its category calls for. */
async function showQuestions(form: FormData) {
  const picks = await bothPicks(form);
  return answer({ initialValue: typedListing(form), error: {} }, { picks, status: 200 });
}

/** Fills the form in again after its person was signed out, the addresses they had picked included. */
export const refillListing = ({ form }: { form: FormData }) => showQuestions(form);

/** Gives the form back as it was typed, with a reason that has nothing to do with what was typed. */
export async function giveBackTyped(form: FormData, errors: Record<string, string[]>) {
  const picks = await bothPicks(form);
  return answer({ initialValue: typedListing(form), error: errors }, { picks });
}

/** The addresses that were picked in a draft, as far as they still hold. */
export async function picksIn(fields: Record<string, string | string[]>): Promise<EditorAnswer["picks"]> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (typeof value === "string") form.append(name, value);
  return bothPicks(form);
}

async function bothPicks(form: FormData): Promise<EditorAnswer["picks"]> {
  return { ...(await picksSoFar(form, "rawaddress")), ...(await picksSoFar(form, "mailingaddress")) };
}

/** What was picked for the other field stays picked. */
async function picksSoFar(form: FormData, asked: AddressField): Promise<EditorAnswer["picks"]> {
  const other: AddressField = asked === "rawaddress" ? "mailingaddress" : "rawaddress";
  try {
    const { pick } = await addressChoice(form, other, null);
    return pick ? { [other]: pick } : {};
  } catch (error) {
    if (!(error instanceof AddressSearchUnavailable)) throw error;
    return {};
  }
}

/** What the editor's buttons ask for, besides saving. Null: the form is to be saved (or kept as a draft). */
export function askedOfForm(form: FormData): Promise<ReturnType<typeof giveBack>> | null {
  switch (fieldText(form, "intent")) {
    case "findAddress":
      return findForForm(form, "rawaddress");
    case "findMailingAddress":
      return findForForm(form, "mailingaddress");
    case "continue":
      return showQuestions(form);
    default:
      return null;
  }
}

/** A listing's form that may be saved, or the response that gives it back. */
export type JudgedListing =
  | { values: ListingValues; address: AddressChoice; mailing: AddressChoice; submission: ListingSubmission; picks: EditorAnswer["picks"] }
  | { refused: ReturnType<typeof giveBack> };

/**
 * Judges a form by every rule at once: its fields, and the addresses chosen.
 * @param saved the listing as it is saved; null for a new one
 */
export async function judgeListing(form: FormData, saved: Parameters<typeof addressChoice>[2]): Promise<JudgedListing> {
  const submission = parseListing(form);
  let choices: [AddressChoice, AddressChoice];
  try {
    choices = await Promise.all([addressChoice(form, "rawaddress", saved), addressChoice(form, "mailingaddress", saved)]);
  } catch (error) {
    if (!(error instanceof AddressSearchUnavailable)) throw error;
    return { refused: giveBack(submission, { errors: { rawaddress: [error.message] }, status: 503 }) };
  }
  const [address, mailing] = choices;
  const picks: EditorAnswer["picks"] = {};
  if (address.pick) picks.rawaddress = address.pick;
  if (mailing.pick) picks.mailingaddress = mailing.pick;

  const errors: Record<string, string[]> = {};
  if (address.error) errors.rawaddress = [address.error];
  if (mailing.error) errors.mailingaddress = [mailing.error];
  if (submission.status !== "success" || Object.keys(errors).length > 0) {
    return { refused: giveBack(submission, { errors, picks }) };
  }
  return { values: submission.value, address, mailing, submission, picks };
}

/**
 * After two versions met: puts the saved value into each field where the person chose it over theirs.
 * @param saved the listing as it is saved now, as its form would hold it
 */
export function takeChoices(form: FormData, saved: Record<ListingField, string | string[]>): void {
  for (const field of LISTING_FIELD_NAMES) {
    if (fieldText(form, choiceName(field)) !== "saved") continue;
    form.delete(field);
    for (const value of [saved[field]].flat()) if (value !== "") form.append(field, value);
  }
}
