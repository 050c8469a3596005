/** How Stripe writes ids, objects within objects, and times. Pure. */

/** The id in a field that Stripe may have expanded to the object. */
export function getStripeId(field: string | { id: string } | null | undefined): string | null {
  return typeof field === "string" ? field : (field?.id ?? null);
}

/** The object in a field that Stripe expanded; null when the field is empty or holds an id. */
export const getExpanded = <T extends object>(field: string | T | null | undefined): T | null =>
  typeof field === "object" ? field : null;

/** @param seconds since 1970 */
export const toIsoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();
