import { redirect, type TypedResponse } from "@remix-run/node";

import { currentScope } from "~/integrations/upstream/request-scope.server";

import { flashCookie, readCookie } from "./cookies.server";
import { signFormAccount } from "./csrf.server";
import { readSessionOwner } from "./session.server";

/** A message that is shown once, on the next page. */
export interface Flash {
  tone: "success" | "info" | "problem";
  text: string;
  /** The action and the fields of a form with the intent "undo". */
  undo?: { action: string; fields: Record<string, string> };
}

/** The message in its cookie. */
interface StoredFlash extends Flash {
  /** Whom it is for, as in the tokens of their forms; null for anyone who uses the browser. */
  account: string | null;
}

/**
 * A 303 redirect to a page that shows the message. A text alone is a success message. Where a route let its user in, it
 * is for them alone: its response may come when they have left, from another tab, and it may name what they have.
 */
export async function redirectWithFlash(
  path: string,
  flash: Flash | string,
): Promise<TypedResponse<never>> {
  const user = currentScope()?.account ?? null;
  const message: StoredFlash = {
    ...(typeof flash === "string" ? { tone: "success", text: flash } : flash),
    account: user && signFormAccount(user)[0],
  };
  return redirect(path, { status: 303, headers: { "Set-Cookie": await serializeFlash(message) } });
}

/** How long a browser lets a cookie be, its name and value together. It drops a longer one without a word. */
const MAX_COOKIE_LENGTH = 4096;

/**
 * The message as a cookie that a browser keeps: with an extremely long filter in the address of its page, the message
 * undoes from the page without the filter; and with more rows than any page has, it has no undo.
 */
async function serializeFlash(message: StoredFlash): Promise<string> {
  const { undo, ...rest } = message;
  const shorter = undo
    ? [{ ...rest, undo: { ...undo, action: undo.action.replace(/\?.*/s, "") } }, rest]
    : [];
  let cookie = await flashCookie().serialize(message);
  for (const next of shorter)
    if (cookie.split(";", 1)[0]!.length > MAX_COOKIE_LENGTH)
      cookie = await flashCookie().serialize(next);
  return cookie;
}

/** Whether this browser has a flash message, and the one that it may show; null when that is none. */
export async function readFlash(
  request: Request,
): Promise<{ stored: boolean; flash: Flash | null }> {
  const value = await readCookie(flashCookie(), request);
  if (typeof value !== "object" || value === null || !("text" in value) || !("tone" in value))
    return { stored: false, flash: null };
  // The release before stored no account.
  const { account = null, ...flash } = value as StoredFlash;
  const owner = account && (await readSessionOwner(request));
  const isTheirs = account === null || (owner && signFormAccount(owner).includes(account));
  return { stored: true, flash: isTheirs ? flash : null };
}
