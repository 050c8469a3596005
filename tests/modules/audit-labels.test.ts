import { expect, it } from "vitest";

import { listChanges } from "~/modules/audit/labels";

const entry = {
  id: 1,
  at: "2026-11-03T12:00:00Z",
  actor: null,
  actor_role: "system",
  actor_name: null,
  known: true,
  action: "insert",
  subject_id: "1",
  subject_name: null,
  before: null,
};

it("names what changed in the audit log as people do: ids, and listings by their term", () => {
  const changes = listChanges({
    ...entry,
    subject: "sponsorships",
    after: { place_id: 7, order_id: "eaab", promo_text: "Fresh bread", paid: true },
  });
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
  const [change] = listChanges({ ...entry, subject, after: { state: "open" } });
  expect(change?.label).toBe(label);
});
