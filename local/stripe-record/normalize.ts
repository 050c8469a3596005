import type { Answers } from "./scenario";

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** An id: its random part has a digit or a capital, which no name of an enum has. */
const ID = /\b[a-z]{2,6}_(?:test_|record_)?(?=[a-zA-Z0-9]*[A-Z0-9])[A-Za-z0-9]{8,}\b/g;
/** Seconds since 1970, of this century's years from 2017. No amount in a scenario is as large. */
const EARLIEST = 1_500_000_000;
const LATEST = 5_000_000_000;

/** Texts that are invented anew each time, whatever they look like. */
const INVENTED = new Set([
  "client_secret",
  "fingerprint",
  "invoice_prefix",
  "number",
  "name",
  "description",
]);

/**
 * The answers of a scenario in a form that is the same in each run: `<cus 1>` for the first id of a
 * customer, and likewise for each that appears, `<time>`, and `<url>`.
 */
export function normalize(answers: Answers): Answers {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();

  function placeholder(id: string): string {
    const name = known.get(id);
    if (name !== undefined) return name;
    const prefix = /^[a-z]+/.exec(id)![0];
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    known.set(id, `<${prefix} ${count}>`);
    return known.get(id)!;
  }

  function text(value: string, name: string): string {
    const replaced = value.replace(ID, placeholder);
    if (replaced.startsWith("<") || name === "message") return replaced;
    // The id of a coupon does not say what kind of object it belongs to.
    if (name === "id") return "<id>";
    if (/^https?:/.test(value)) return value.startsWith("https://example.test/") ? value : "<url>";
    if (value.startsWith("/v1/")) return replaced;
    if (INVENTED.has(name)) return isOurs(value) ? value : "<text>";
    return value;
  }

  function walk(value: Json, name = ""): Json {
    if (typeof value === "number")
      return Number.isInteger(value) && value > EARLIEST && value < LATEST ? "<time>" : value;
    if (typeof value === "string") return text(value, name);
    if (Array.isArray(value)) return value.map((item) => walk(item, name));
    if (value === null || typeof value === "boolean") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner, key)]));
  }

  return walk(answers as { [name: string]: Json }) as Answers;
}

/** What a scenario itself gave: it is the same each time. */
const OURS = new Set(["An order", "A listing", "Its new name", "Order", "Again", "Recording"]);

function isOurs(value: string): boolean {
  return OURS.has(value);
}
