import { redirect, type TypedResponse } from "@remix-run/node";

import { flashCookie, readCookie } from "./cookies.server";

/** One message that the next page shows at its top. */
export interface Flash {
  tone: "success" | "info" | "problem";
  text: string;
  /** Where a form with the intent "undo" takes back what was done, and what it sends. */
  undo?: { action: string; fields: Record<string, string> };
}

/** A redirect (303 in effect: the browser follows with GET) whose target page shows the message. */
export async function redirectWithFlash(
  path: string,
  flash: Flash | string,
): Promise<TypedResponse<never>> {
  const message: Flash = typeof flash === "string" ? { tone: "success", text: flash } : flash;
  return redirect(path, {
    status: 303,
    headers: { "Set-Cookie": await flashCookie().serialize(message) },
  });
}

/** The message left by the page before, or null. */
export async function readFlash(request: Request): Promise<Flash | null> {
  const value = await readCookie(flashCookie(), request);
  if (typeof value !== "object" || value === null || !("text" in value) || !("tone" in value))
    return null;
  return value as Flash;
}
