import { randomBytes, randomUUID } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";

import { createServiceClient } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

import { endedCookie, expireCookie, readCookie, resumeCookie } from "./cookies.server";
import { signFormAccount } from "./csrf.server";
import { decrypt, encrypt } from "./encryption.server";
import { HttpError } from "./errors.server";
import { log } from "./log.server";
import { enforceRateLimit, getClientNetwork } from "./rate-limit.server";
import { isUuid } from "~/text/uuid";

import { toSafePath } from "./safe-path.server";
import { readSessionOwner } from "./session.server";
import { toRefillFields, REFILL_STASH, type SubmittedForm } from "./submitted-form";

/**
 * Stores a form whose session had ended until its sender signs in again.
 *
 * The fields are encrypted (AES-256-GCM) with a new key, for the account whose session it was: by the
 * mark that its forms have in their tokens. The database has the ciphertext and no key; a signed cookie of the browser has the key and no text.
 * Both expire after an hour.
 */

const PER_VISITOR = { name: "form-stash-visitor", max: 60, windowSeconds: 60 * 60 };
/** Of forms that were opened before signing out. No cookie says whose they are, so anyone could fill the table. */
const CLOSED_PER_VISITOR = { name: "closed-form-stash-visitor", max: 10, windowSeconds: 60 * 60 };
const PER_USER = { name: "form-stash", max: 20, windowSeconds: 60 * 60 };
/** Forms that one browser may have stashed: one in each of a few tabs. */
const MAX_STASHED = 5;
/** More than the fields of the largest form can take as JSON. */
const MAX_DECRYPTED_BYTES = 8 * 1024 * 1024;

/** The key of one stashed form. */
interface StashKey {
  id: string;
  key: string;
}

/**
 * The id of the user whose session ended in this browser: from the session cookie, or from the
 * cookie that replaced it when it was removed. Null when this browser has neither.
 */
export async function readEndedSessionOwner(request: Request): Promise<string | null> {
  const owner = (await readSessionOwner(request)) ?? (await readCookie(endedCookie(), request));
  return isUuid(owner) ? owner : null;
}

/** The keys in this browser's cookie, the newest first. */
async function readKeys(request: Request): Promise<StashKey[]> {
  const value = await readCookie(resumeCookie(), request);
  if (!Array.isArray(value)) return [];
  return value.filter(
    (one: Partial<StashKey> | null): one is StashKey =>
      isUuid(one?.id) && typeof one.key === "string",
  );
}

function serializeKeys(keys: StashKey[]): Promise<string> {
  return keys.length > 0 ? resumeCookie().serialize(keys) : expireCookie(resumeCookie());
}

/** Binds the ciphertext to one row and one account. */
const contextOf = (id: string, account: string) => `form ${id} of ${account}`;

const encryptForm = (form: SubmittedForm, id: string, account: string, key: Buffer): string =>
  encrypt(deflateRawSync(JSON.stringify(form)), key, contextOf(id, account)).toString("base64");

/** Null when the text was encrypted for another account or with another key, or was changed. */
function decryptForm(sealed: string, { id, key }: StashKey, account: string): SubmittedForm | null {
  const secret = Buffer.from(key, "base64url");
  const text = decrypt(Buffer.from(sealed, "base64"), secret, contextOf(id, account));
  if (!text) return null;
  try {
    return JSON.parse(
      inflateRawSync(text, { maxOutputLength: MAX_DECRYPTED_BYTES }).toString(),
    ) as SubmittedForm;
  } catch {
    return null;
  }
}

/**
 * Stashes a form for the user whose session ended.
 * @param account the mark of its account (signFormAccount)
 * @param sent its fields, without passwords
 * @param isClosed whether only the form says that it is of that account (findClosing)
 * @returns the id of the stashed form and the Set-Cookie value with its key; null when it was not
 *   stored (too many already, or too large)
 * @throws DataError when the database does not answer
 */
export async function saveStash(
  request: Request,
  account: string,
  sent: SubmittedForm,
  isClosed = false,
): Promise<{ id: string; setCookie: string } | null> {
  try {
    await Promise.all([
      enforceRateLimit(isClosed ? CLOSED_PER_VISITOR : PER_VISITOR, getClientNetwork(request)),
      enforceRateLimit(PER_USER, account),
    ]);
    const id = randomUUID();
    const key = randomBytes(32);
    const form = { ...sent, action: toSafePath(sent.action) };
    unwrap(
      await createServiceClient()
        .from("form_stash")
        .insert({ id, sealed: encryptForm(form, id, account, key) }),
    );
    const keys = [{ id, key: key.toString("base64url") }, ...(await readKeys(request))];
    return { id, setCookie: await serializeKeys(keys.slice(0, MAX_STASHED)) };
  } catch (error) {
    if (error instanceof HttpError || (error instanceof DataError && error.failure === "refused"))
      return null;
    throw error;
  }
}

/**
 * The form that is stashed for this user in this browser, ready to be sent to its page with the
 * intent `refill`. Null when there is none: it was used, has expired, or is another user's.
 * @param id which one; the newest when null
 * @throws DataError when the database does not answer
 */
export async function openStash(
  request: Request,
  owner: string,
  id: string | null,
): Promise<SubmittedForm | null> {
  const keys = await readKeys(request);
  const held = id === null ? keys[0] : keys.find((one) => one.id === id);
  if (!held) return null;
  const row = unwrap(
    await createServiceClient()
      .from("form_stash")
      .select("sealed")
      .eq("id", held.id)
      .gt("expires_at", new Date().toISOString())
      .maybeSingle(),
  ) as { sealed: string } | null;
  const form =
    row &&
    signFormAccount(owner)
      .map((account) => decryptForm(row.sealed, held, account))
      .find((opened) => opened !== null);
  if (!form) return null;
  const { action, fields, labels } = form;
  return { action, fields: [...toRefillFields(fields), [REFILL_STASH, held.id]], labels };
}

/**
 * Deletes the forms that are stashed in this browser.
 * @param id which one; all when null
 * @returns the Set-Cookie value to answer with, or null when there was nothing to delete
 */
export async function deleteStash(request: Request, id: string | null): Promise<string | null> {
  const keys = await readKeys(request);
  const dropped = keys.filter((one) => id === null || one.id === id);
  if (dropped.length === 0) return null;
  try {
    unwrap(
      await createServiceClient()
        .from("form_stash")
        .delete()
        .in(
          "id",
          dropped.map((one) => one.id),
        ),
    );
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    // Without its key no one can read it, and it expires within the hour.
    log().warn({ failure: error.failure, code: error.code }, "stashed form could not be deleted");
  }
  return serializeKeys(keys.filter((one) => !dropped.includes(one)));
}
