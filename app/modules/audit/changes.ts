/** What an entry of the audit log changed, in the names and words of the pages. Pure. */
import { FEATURED_PLANS, formatDollars } from "~/modules/billing/prices";
import { JOB_FIELDS } from "~/modules/jobs/fields";
import { getColumnLabel } from "~/modules/listings/fields";
import { formatDate, formatTimestamp } from "~/text/dates";
import { formatCode, formatValue } from "~/text/values";

import type { AuditEntry } from "./entry.server";

export interface AuditChange {
  label: string;
  before: string | null;
  after: string | null;
}

/** The names of all categories, by their ids. */
export type CategoryNames = ReadonlyMap<number, string>;

type People = AuditEntry["people"];

const WITHHELD = "[withheld]";

/** Columns that no one edits: they follow from others, or belong to the payment provider. */
const BOOKKEEPING = new Set([
  "attempt",
  "currency",
  "id",
  "invitation",
  "invitations",
  "last_update",
  "leads_from",
  "name_key",
  "premium_created_at",
  "seen",
  "stripe_checkout_session_id",
  "stripe_cus_id",
  "stripe_customer_id",
  "stripe_payment_intent_id",
  "stripe_subscription_id",
  "submission_id",
]);

/** Columns with a word of the code. */
const WORDS = new Set([
  "kind",
  "reason",
  "refund_reason",
  "state",
  "status",
  "subscription_status",
]);
/** Columns with the id of an account, or several. */
const PEOPLE = new Set([
  "accepted_by",
  "invited_by",
  "manager",
  "managers",
  "owner",
  "requested_by",
]);
/**
 * Columns with a day or a time. In any other column, a text that looks like one is what someone
 * wrote.
 */
const TIMES = /(^|_)(at|dates?|from|since|to|until)$/;
/** Columns in dollars; those in cents say so. */
const DOLLARS = new Set(["order_total", "rate"]);

/**
 * "Listing ID" for `place_id`. The `state` of a listing is a place; that of anything else is a
 * status.
 */
function getLabel(column: string, subject: string): string {
  if (column === "place_id") return "Listing ID";
  if (column === "cents") return subject === "refunds" ? "Amount" : "Price";
  if (column === "state" && subject !== "places") return "Status";
  const field = subject === "jobs" ? (JOB_FIELDS as Record<string, string>)[column] : undefined;
  return field ?? getColumnLabel(column.replace(/_(cents|at)$/, "")).replace(/ id$/, " ID");
}

function formatText(column: string, text: string, subject: string, people: People): string {
  if (text === WITHHELD) return "Withheld";
  if (PEOPLE.has(column))
    return Object.hasOwn(people, text) ? people[text] || "No name given" : "Deleted account";
  if (column === "plan")
    return FEATURED_PLANS.find(({ id }) => id === text)?.name ?? formatCode(text);
  if (WORDS.has(column) && !(column === "state" && subject === "places")) return formatCode(text);
  if (!TIMES.test(column)) return text;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return formatTimestamp(text);
  return /^\d{4}-\d\d-\d\d$/.test(text) ? formatDate(text) : text;
}

function formatNumber(column: string, value: number, categories: CategoryNames): string {
  if (/^(online_)?categor(y|ies)$/.test(column)) return categories.get(value) ?? String(value);
  if (/(^|_)cents$/.test(column)) return formatDollars(value);
  return DOLLARS.has(column) ? formatDollars(value * 100) : String(value);
}

function formatAuditValue(
  column: string,
  value: unknown,
  subject: string,
  people: People,
  categories: CategoryNames,
): string {
  const values = [value].flat().map((one: unknown) => {
    if (typeof one === "string") return formatText(column, one, subject, people);
    if (typeof one === "number") return formatNumber(column, one, categories);
    return one !== null && typeof one === "object" ? JSON.stringify(one) : one;
  });
  return formatValue(Array.isArray(value) ? values : values[0]);
}

/** The values of each field before and after; null when the field was added or removed. */
export function listChanges(
  { subject, people, before, after }: Pick<AuditEntry, "subject" | "people" | "before" | "after">,
  categories: CategoryNames,
): AuditChange[] {
  const columns = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const edited = columns.filter((column) => !BOOKKEEPING.has(column));
  const format = (column: string, row: AuditEntry["before"]) =>
    row && column in row
      ? formatAuditValue(column, row[column], subject, people, categories)
      : null;
  return edited.map((column) => ({
    label: getLabel(column, subject),
    before: format(column, before),
    after: format(column, after),
  }));
}
