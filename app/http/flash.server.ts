import { redirect, type TypedResponse } from "@remix-run/node";

import { flashCookie, readCookie } from "./cookies.server";

/** A message that is shown once, on the next page. */
export interface Flash {
  tone: "success" | "info" | "problem";
  text: string;
  /** The action and the fields of a form with the intent "undo". */
  undo?: { action: string; fields: Record<string, string> };
}

/** A 303 redirect to a page that shows the message. A text alone is a success message. */
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

/** The flash message for this page, or null. */
export async function readFlash(request: Request): Promise<Flash | null> {
  const value = await readCookie(flashCookie(), request);
  if (typeof value !== "object" || value === null || !("text" in value) || !("tone" in value))
    return null;
  return value as Flash;
}
