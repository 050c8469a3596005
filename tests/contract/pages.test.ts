/**
 * What holds for the HTML of every page: it is valid, what people wrote is kept apart from our words, and it reads
 * well as text. The pages are full of demo data, in which all that people wrote is in Hebrew.
 */
import { HtmlValidate } from "html-validate";
import { describe, expect, it } from "vitest";

import { openAllPages } from "../support/all-pages";
import { findGluedWords, findRepeatedButtons, findUnisolatedText } from "../support/html-text";
import { parseHtml, walk, isText } from "../support/html-tree";
import { createWorld } from "../support/world";

/** As data from before texts were cleaned on save: with a sign that turns the text after it around. */
const OVERRIDE = "\u202E";

const world = await createWorld({ seed: "demo", stripe: true });
await world.sql(`do $$ begin
  -- Past the guards, which would remove the sign.
  perform set_config('session_replication_role', 'replica', true);
  update public.profiles set full_name = 'שירה ${OVERRIDE}לוי', pronouns = 'היא';
  update public.places set name = 'מאפיית השכונה ${OVERRIDE}' || id, city = 'חיפה', state = case when state is not null then 'צפון' end, description = 'לחם ${OVERRIDE}ועוגות',
    address = 'רחוב הנביאים 1', rawaddress = 'רחוב הנביאים 1', mailingaddress = 'רחוב הנביאים 1',
    changes_requested = case when changes_requested is not null then 'נא לתקן' end,
    last_update = case when last_update = '{}' then '{}' else last_update || '{"description": "לחם"}' end;
  update public.rejected_edits set reason = 'לא מתאים', edit = edit || '{"name": "מאפייה"}';
  update public.jobs set title = 'אופה ${OVERRIDE}' || id, description = 'עבודה', company_name = 'מאפייה',
    company_bio = 'סיפור', ally_safety = 'בטוח', pay_range = 'מאה', city = 'עכו', location = '{ירושלים}';
  update public.sponsorships set promo_text = 'בואו לבקר', location = 'יפו', photo_location = 'כאן';
  update public.leads set requester_name = 'דנה ${OVERRIDE}כהן', message = 'שלום ${OVERRIDE}רב', notes = 'לענות';
  update public.feedback set feedback = 'נחמד ${OVERRIDE}מאוד', os = 'גרסה 5';
  update public.events set data = data || '{"reason": "סגור", "info": "הייתי שם"}', note = 'בטיפול';
  update public.listing_drafts set fields = fields || '{"name": "טיוטה"}';
  update public.orders set item_name = 'אופה ${OVERRIDE}' where item_name is not null;
end $$`);

let opened: ReturnType<typeof openAllPages> | undefined;
/** Within a test, since opening them has deadlines that last for one. */
const openPages = () => (opened ??= openAllPages(world));

const validator = new HtmlValidate({
  root: true,
  extends: ["html-validate:recommended"],
  rules: {
    // How React writes what browsers read alike.
    "attr-case": "off",
    "attribute-boolean-style": "off",
    "void-style": "off",
    // React's useId begins with a colon; no style sheet uses them.
    "valid-id": ["error", { relaxed: true }],
    "attribute-empty-style": "off",
    // Lists of links may have a name.
    "aria-label-misuse": ["error", { allowAnyNamable: true }],
    // Suggestions for an address are no `<select>`: something else may be typed. A `<section>` has a heading, and the
    // region of a table that scrolls has its caption.
    "prefer-native-element": ["error", { exclude: ["listbox", "region"] }],
    "form-dup-name": ["error", { shared: ["radio", "button", "reset", "submit", "checkbox"] }],
  },
});

it("is about all of them", async () => {
  const pages = await openPages();
  expect(pages.length).toBeGreaterThan(75);
  expect(pages.filter(({ page }) => page.status >= 500).map(({ state }) => state)).toEqual([]);
  for (const { state, page } of pages) expect(page.body, state).toMatch(/^<!DOCTYPE html>/);
});

describe("every page", () => {
  it("asks, before script arrives, whether to leave a form that would be lost", async () => {
    const pages = (await openPages()).map(({ state, page }) => ({ state, html: page.body }));
    // The light version has no script.
    const withForms = pages.filter(({ html }) => /<script.* data-unsaved=/s.test(html));
    expect(withForms.length).toBeGreaterThan(10);
    for (const { state, html } of withForms) expect(html, state).toContain("onbeforeunload=");
  });

  it("is valid HTML", async () => {
    const pages = await openPages();
    const problems = new Map<string, string>();
    for (const { state, page } of pages) {
      expect(page.body, state).toMatch(/<\/body><\/html>$/);
      // A fraction of a second has at most three digits.
      expect(page.body, state).not.toMatch(/datetime="[^"]*\.\d{4,}/i);
      const report = await validator.validateString(
        // Vite's name of the style sheet, which is empty in tests.
        page.body.replace('rel="stylesheet" href=""', 'rel="stylesheet" href="/app.css"'),
      );
      for (const { messages } of report.results)
        for (const { ruleId, message, selector } of messages)
          problems.set(`${ruleId}: ${message} (${selector})`, state);
    }
    expect([...problems].map(([problem, state]) => `${state}: ${problem}`)).toEqual([]);
  });

  it("keeps what people wrote apart from the words around it", async () => {
    const pages = await openPages();
    const problems = pages.flatMap(({ state, page }) =>
      findUnisolatedText(parseHtml(page.body)).map((found) => `${state}: ${found}`),
    );
    expect(problems).toEqual([]);
    // Otherwise nothing was shown that someone wrote.
    expect(pages.filter(({ page }) => /[א-ת]/.test(page.text)).length).toBeGreaterThan(50);
  });

  it("takes text in the direction in which it is written", async () => {
    const pages = await openPages();
    const fields = pages.flatMap(({ state, page }) =>
      [...walk(parseHtml(page.body))].flatMap((node) =>
        !isText(node) &&
        (node.name === "textarea" ||
          (node.name === "input" &&
            ["text", "search", undefined].includes(node.attributes["type"]))) &&
        node.attributes["dir"] === undefined &&
        node.attributes["list"] === undefined
          ? [`${state}: ${node.attributes["name"]}`]
          : [],
      ),
    );
    expect([...new Set(fields)]).toEqual([]);
  });

  it("has spaces between words, also where no style sheet is applied", async () => {
    const pages = await openPages();
    const problems = pages.flatMap(({ state, page }) =>
      findGluedWords(parseHtml(page.body)).map((found) => `${state}: ${found}`),
    );
    expect(problems).toEqual([]);
  });

  it("has no button twice in a form", async () => {
    const pages = await openPages();
    const problems = pages.flatMap(({ state, page }) =>
      findRepeatedButtons(parseHtml(page.body)).map((found) => `${state}: ${found}`),
    );
    expect(problems).toEqual([]);
  });
});
