/** The parts of Stripe's paths that stand before the name of an object. */
const NAMESPACES = new Set(["billing", "billing_portal", "checkout", "tax", "test_helpers"]);
/** What each method does to a list, and to one object. */
const VERBS: Readonly<Record<string, [list: string, one: string]>> = {
  GET: ["list", "retrieve"],
  POST: ["create", "update"],
  DELETE: ["delete", "delete"],
};

/**
 * The name of a call of Stripe for the log, as its SDK calls it: `stripe checkout.sessions.create`. It
 * has no id.
 */
export function nameStripeCall(method: string, url: string): string {
  const parts = new URL(url).pathname.split("/").slice(2).filter(Boolean);
  const names = parts.splice(0, NAMESPACES.has(parts[0] ?? "") ? 2 : 1);
  const [id, action] = parts;
  if (id === "search") return `stripe ${[...names, id].join(".")}`;
  const verb = VERBS[method]?.[id === undefined ? 0 : 1] ?? method;
  return `stripe ${[...names, action ?? verb].join(".")}`;
}
