import { readdirSync, readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { listChanges } from "~/modules/audit/changes";
import { formatAction, formatSubject } from "~/modules/audit/labels";
import { formatCode } from "~/text/values";

const entry = {
  id: 1,
  at: "2026-11-03T12:00:00Z",
  actor: null,
  actor_role: "system",
  actor_name: null,
  known: true,
  by_admin: false,
  action: "insert",
  subject_id: "1",
  subject_name: null,
  people: {},
  before: null,
};

const CATEGORIES = new Map([
  [12, "Online Shopping"],
  [51, "Books"],
]);
const PEOPLE = { "5eed-1": "Sam Rivera", "5eed-2": "" };

it("names what changed in the audit log as people do: ids, and listings by their term", () => {
  const changes = listChanges(
    {
      ...entry,
      subject: "sponsorships",
      after: { place_id: 7, order_id: "eaab", promo_text: "Fresh bread", paid: true },
    },
    CATEGORIES,
  );
  expect(changes.map(({ label, after }) => [label, after])).toEqual([
    ["Listing ID", "7"],
    ["Order ID", "eaab"],
    ["Promo text", "Fresh bread"],
    ["Paid", "Yes"],
  ]);
});

it.each([
  ["events", "Status"],
  ["places", "State or province"],
])("names the state of a row of %s %s", (subject, label) => {
  const [change] = listChanges({ ...entry, subject, after: { state: "open" } }, CATEGORIES);
  expect(change?.label).toBe(label);
});

it.each([
  ["places", { status: "pending-update" }, "Status", "Pending update"],
  ["places", { subscription_status: "past_due" }, "Featured plan", "Past due"],
  ["places", { category: 12 }, "Category", "Online Shopping"],
  ["places", { online_categories: [51, 99] }, "Online Shopping Category", "Books, 99"],
  ["places", { state: "OR" }, "State or province", "OR"],
  ["places", { phone: "[withheld]" }, "Phone", "Withheld"],
  ["places", { name: "pending-update" }, "Business Name", "pending-update"],
  ["jobs", { description: "Bake." }, "Description", "Bake."],
  ["jobs", { url: "https://bakery.example" }, "Application link", "https://bakery.example"],
  ["jobs", { filled_at: "2026-11-03T12:05:06.1+00:00" }, "Filled", "Nov 3, 2026, 12:05 PM UTC"],
  ["sponsorships", { sponsorship_dates: ["2026-11-03"] }, "Sponsorship dates", "Nov 3, 2026"],
  ["sponsorships", { order_total: 90 }, "Order total", "$90"],
  ["jobs", { title: "2026-11-03" }, "Job Title", "2026-11-03"],
  ["places", { owner: "5eed-1" }, "Owner", "Sam Rivera"],
  ["places", { owner: "5eed-2" }, "Owner", "No name given"],
  ["places", { owner: "5eed-3" }, "Owner", "Deleted account"],
  ["places", { owner: null }, "Owner", "Empty"],
  ["places", { managers: ["5eed-1", "5eed-3"] }, "Managers", "Sam Rivera, Deleted account"],
  ["orders", { plan: "six_months" }, "Plan", "6 months"],
  ["orders", { amount_paid_cents: 2950 }, "Amount paid", "$29.50"],
  ["subscriptions", { cents: 3000 }, "Price", "$30"],
  ["refunds", { cents: 3000 }, "Amount", "$30"],
  ["subscriptions", { ends_at: null }, "Ends", "Empty"],
])("shows a value of %s %j as “%s: %s”", (subject, after, label, value) => {
  expect(listChanges({ subject, people: PEOPLE, before: null, after }, CATEGORIES)).toEqual([
    { label, before: null, after: value },
  ]);
});

it("doesn’t show how the payment provider calls a plan, or an invitation’s id", () => {
  const plan = { subject: "subscriptions", subject_id: "sub_1QxAb2CdEf", subject_name: null };
  expect(formatSubject(plan)).toBe("Featured plan");
  expect(
    listChanges({ ...entry, subject: "places", after: { invitation: "eaab" } }, CATEGORIES),
  ).toEqual([]);
});

it("has a label for each action that the database names", () => {
  const sql = readdirSync("supabase/schemas")
    .map((file) => readFileSync(`supabase/schemas/${file}`, "utf8"))
    .join("\n");
  const named = sql.matchAll(/(?:log_action\(|'app\.audit_action', )'([a-z-]+)'/g);
  const actions = [...new Set(Array.from(named, ([, action]) => action!))];
  expect(actions).toContain("cancel-dates");
  expect(actions.filter((action) => formatAction(action) === formatCode(action))).toEqual([]);
});
