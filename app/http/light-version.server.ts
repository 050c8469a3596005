import { lightVersionCookie, readCookie } from "./cookies.server";

/**
 * Whether a request is answered with the light version: pages without script. The user's choice
 * decides; until they choose, it is whether their browser asks to save data.
 */
export async function wantsLightVersion(request: Request): Promise<boolean> {
  const chosen = await readCookie(lightVersionCookie(), request);
  if (chosen === "light" || chosen === "full") return chosen === "light";
  return request.headers.get("Save-Data")?.trim().toLowerCase() === "on";
}

/** The Set-Cookie value that keeps a choice. It says nothing about a user, and so it outlives their session. */
export function serializeVersion(light: boolean): Promise<string> {
  return lightVersionCookie().serialize(light ? "light" : "full");
}

/**
 * The HTML of a page of the light version. A browser that could run script hides `<noscript>`, even
 * on a page without script. What people wrote is escaped and has no such element.
 */
export function showNoscript(html: string): string {
  return html.replaceAll(/<\/?noscript>/g, "");
}
