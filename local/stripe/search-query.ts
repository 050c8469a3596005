import { Refusal } from "./refusal";

const CLAUSE =
  /^(?<not>-)?(?<field>[a-z_]+)(?:\[(?:'(?<key>[^']+)'|"(?<key2>[^"]+)")\])?(?<sign>[:~])(?:'(?<value>[^']*)'|"(?<value2>[^"]*)")$/;

/**
 * Reads a query of Stripe's search language: `email:'a@b.test' AND metadata['user']:'…'`. `:` is equal, `~`
 * contains, `-` not; either all clauses hold (AND) or one of them (OR).
 */
export function matcherOf(query: string, fields: string[]): (subject: object) => boolean {
  const parts = query.trim().split(/\s+(AND|OR)\s+/i);
  const joints = new Set(
    parts.filter((_, index) => index % 2 === 1).map((joint) => joint.toUpperCase()),
  );
  if (joints.size > 1) throw unreadable(query);
  const clauses = parts
    .filter((_, index) => index % 2 === 0)
    .map((part) => clauseOf(part, query, fields));
  return (subject) =>
    joints.has("OR")
      ? clauses.some((holds) => holds(subject))
      : clauses.every((holds) => holds(subject));
}

function clauseOf(part: string, query: string, fields: string[]): (subject: object) => boolean {
  const { not, field = "", key, key2, sign, value, value2 } = CLAUSE.exec(part)?.groups ?? {};
  if (!fields.includes(field) || (field === "metadata") !== ((key ?? key2) !== undefined))
    throw unreadable(query);
  const wanted = (value ?? value2 ?? "").toLowerCase();
  return (subject) => {
    const whole = (subject as Record<string, unknown>)[field];
    const found =
      field === "metadata" ? (whole as Record<string, string> | null)?.[(key ?? key2)!] : whole;
    const text = typeof found === "string" ? found.toLowerCase() : undefined;
    const holds = sign === "~" ? (text?.includes(wanted) ?? false) : text === wanted;
    return not === undefined ? holds : !holds;
  };
}

function unreadable(query: string): Refusal {
  return new Refusal(`We were unable to parse your search query: ${query}`, { param: "query" });
}
