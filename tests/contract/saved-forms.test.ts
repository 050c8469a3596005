/** A form that shows what is saved may be open while it changes elsewhere. It must not undo that. */
import { readFileSync, readdirSync } from "node:fs";

import { expect, it } from "vitest";

/**
 * How each form with saved values tells what was changed in it from what was changed elsewhere:
 * - `seen`: it says what its fields were (SeenValues), and the action takes what is saved for the rest (updateUntouched)
 * - `version`: it says of which version it is, and a newer one is a conflict
 * - `choice`: what it shows is an answer to begin with, and overwrites nothing
 */
const FORMS: Record<string, "seen" | "version" | "choice"> = {
  "modules/jobs/job-editor.tsx": "version",
  "modules/listings/listing-editor.tsx": "version",
  "modules/sponsorships/paid-sponsorship.tsx": "version",
  "modules/sponsorships/sponsorship-editor.tsx": "version",
  "routes/account.tsx": "seen",
  "routes/account_.invoices.tsx": "seen",
  "routes/account_.notices.tsx": "seen",
  "routes/admin.newsletter-dates.tsx": "choice",
  "routes/admin.payments_.$order.tsx": "choice",
  "routes/leads.$id.tsx": "version",
  "routes/signup.tsx": "choice",
  "routes/upgrade.tsx": "choice",
};

const read = (file: string) => readFileSync(`app/${file}`, "utf8");
const files = ["routes", "modules"].flatMap((folder) =>
  readdirSync(`app/${folder}`, { recursive: true })
    .map((name) => `${folder}/${String(name)}`)
    .filter((name) => name.endsWith(".tsx") && !name.startsWith("routes/design/")),
);
const showsSaved = (source: string) => /createFormState[^;]*?\bsaved\b[^;]*;/.test(source);

it("each form with saved values says how it keeps from undoing what was changed elsewhere", () => {
  expect(files.filter((file) => showsSaved(read(file))).sort()).toEqual(Object.keys(FORMS).sort());
});

it.each(Object.keys(FORMS).filter((file) => FORMS[file] === "seen"))(
  "%s sends what was seen, and its action compares it",
  (file) => {
    for (const part of ["<SeenValues ", "withSeenValues(", "updateUntouched("])
      expect(read(file)).toContain(part);
  },
);
