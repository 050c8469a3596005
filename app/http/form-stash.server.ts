import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";

import { createServiceClient } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

import { endedCookie, expireCookie, readCookie, resumeCookie } from "./cookies.server";
import { HttpError } from "./errors.server";
import { log } from "./log.server";
import { enforceRateLimit, getClientNetwork } from "./rate-limit.server";
import { toSafePath } from "./safe-path.server";
import { readSessionOwner } from "./session.server";
import { toRefillFields, REFILL_STASH, type SubmittedForm } from "./submitted-form";

/**
 * Keeps a form under which the session ended, until its person has signed in again.
 *
 * The fields are sealed (AES-256-GCM) with a fresh key, for the very person whose session it was. The
 * sealed text lies in the database, which has no key; the key lies in a signed cookie of the browser,
 * which has no text. Both are over after an hour.
 */

/** A form that was kept: where it was sent, its fields without passwords and form token, and what people call them. */
export interface StashedForm extends SubmittedForm {
  id: string;
}

const PER_VISITOR = { name: "form-stash-visitor", max: 60, windowSeconds: 60 * 60 };
const PER_PERSON = { name: "form-stash", max: 20, windowSeconds: 60 * 60 };
/** Forms that one browser may have waiting: one in each of a few tabs. */
const MOST_WAITING = 5;
const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** More than the fields of the largest form can come to as JSON. */
const MOST_OPENED_BYTES = 8 * 1024 * 1024;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Key {
  id: string;
  key: string;
}

/**
 * Whose session ended in this browser: by its session cookie, or by what the page that took that cookie
 * away left behind. Null when no cookie that we signed says so, as with every stranger.
 */
export async function readEndedSessionOwner(request: Request): Promise<string | null> {
  const owner = (await readSessionOwner(request)) ?? (await readCookie(endedCookie(), request));
  return typeof owner === "string" && UUID.test(owner) ? owner : null;
}

/** The keys that this browser holds, the newest first. */
async function keysOf(request: Request): Promise<Key[]> {
  const value = await readCookie(resumeCookie(), request);
  if (!Array.isArray(value)) return [];
  return value.filter(
    (one: Partial<Key> | null): one is Key =>
      typeof one?.id === "string" && UUID.test(one.id) && typeof one.key === "string",
  );
}

function keepKeys(keys: Key[]): Promise<string> {
  return keys.length > 0 ? resumeCookie().serialize(keys) : expireCookie(resumeCookie());
}

/** What only this row of this person may be opened as. */
const belonging = (id: string, owner: string) => Buffer.from(`form ${id} of ${owner}`);

function seal(form: Omit<StashedForm, "id">, id: string, owner: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(belonging(id, owner));
  const text = Buffer.concat([cipher.update(deflateRawSync(JSON.stringify(form))), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64");
}

/** Null when it was sealed for somebody else, under another key, or was changed. */
function unseal(sealed: string, id: string, owner: string, key: Buffer): StashedForm | null {
  const bytes = Buffer.from(sealed, "base64");
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(belonging(id, owner))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = Buffer.concat([
      decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)),
      decipher.final(),
    ]);
    const form = JSON.parse(
      inflateRawSync(text, { maxOutputLength: MOST_OPENED_BYTES }).toString(),
    ) as Omit<StashedForm, "id">;
    return { id, ...form };
  } catch {
    return null;
  }
}

/**
 * Keeps a form for the person whose session ended.
 * @param sent what of it may be kept
 * @returns the id it is kept under, and the cookie that opens it; null when it is not kept (too many
 *   already, or too large)
 * @throws DataError when the database does not answer
 */
export async function stashForm(
  request: Request,
  owner: string,
  sent: SubmittedForm,
): Promise<{ id: string; setCookie: string } | null> {
  try {
    await Promise.all([
      enforceRateLimit(PER_VISITOR, getClientNetwork(request)),
      enforceRateLimit(PER_PERSON, owner),
    ]);
    const id = randomUUID();
    const key = randomBytes(32);
    const form = { ...sent, action: toSafePath(sent.action) };
    unwrap(
      await createServiceClient()
        .from("form_stash")
        .insert({ id, sealed: seal(form, id, owner, key) }),
    );
    const keys = [{ id, key: key.toString("base64url") }, ...(await keysOf(request))];
    return { id, setCookie: await keepKeys(keys.slice(0, MOST_WAITING)) };
  } catch (error) {
    if (error instanceof HttpError || (error instanceof DataError && error.failure === "refused"))
      return null;
    throw error;
  }
}

/**
 * The form that waits for this person in this browser, ready to be sent to its page with the intent
 * `refill`; null when there is none: used, run out, or somebody else's.
 * @param id which one; the newest when null
 * @throws DataError when the database does not answer
 */
export async function openStash(
  request: Request,
  owner: string,
  id: string | null,
): Promise<Omit<StashedForm, "id"> | null> {
  const keys = await keysOf(request);
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
  const form = row && unseal(row.sealed, held.id, owner, Buffer.from(held.key, "base64url"));
  if (!form) return null;
  const { action, fields, words } = form;
  return { action, fields: [...toRefillFields(fields), [REFILL_STASH, held.id]], words };
}

/**
 * Forgets forms that this browser keeps.
 * @param id which one; all when null
 * @returns the Set-Cookie value to answer with, or null when there was nothing to forget
 */
export async function deleteStash(request: Request, id: string | null): Promise<string | null> {
  const keys = await keysOf(request);
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
    // Without its key nobody can read it, and within the hour it is over.
    log().warn({ failure: error.failure, code: error.code }, "kept form could not be removed");
  }
  return keepKeys(keys.filter((one) => !dropped.includes(one)));
}
