import { expect, test, type Locator, type Page } from "playwright/test";

import { hydrationOf } from "../support/hydration";
import { FIXED_TIME, type Visitor } from "./start-app";

/** A laptop has the sidebar, and leaves the least room beside it. */
const WIDTHS = { phone: 360, tablet: 768, laptop: 1024, desktop: 1280 };
/** The rows of a long list look alike. */
const MAX_HEIGHT = 2_400;
type Look = `${keyof typeof WIDTHS}-${"light" | "dark"}`;

/** How most states are pictured. */
const USUAL: Look[] = ["phone-light", "desktop-light"];
/** For those that have most of the parts. */
const ALL: Look[] = [...USUAL, "tablet-light", "laptop-light", "phone-dark", "desktop-dark"];
/** For pages made of parts that others show. */
const FEW: Look[] = ["phone-light", "desktop-dark"];

interface State {
  as?: Visitor;
  path: string;
  /** Whether its Supabase answers no one. */
  failing?: boolean;
  /** What happens before the picture. */
  then?: (page: Page) => Promise<unknown>;
  looks?: Look[];
}

/** Sends the form as it is, with this button. */
const rejected = (button: string) => async (page: Page) => {
  await page.getByRole("button", { name: button, exact: true }).click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
};

/** Follows the first link with this text. */
const follow = (link: string) => async (page: Page) => {
  const heading = page.getByRole("heading", { level: 1 });
  const before = await heading.innerText();
  await page.getByRole("main").getByRole("link", { name: link }).first().click();
  await expect(heading).not.toHaveText(before);
};

const STATES: Record<string, State> = {
  login: { path: "/login", looks: ALL },
  "login-rejected": { path: "/login", then: rejected("Login") },
  "sign-up": { path: "/signup" },
  "sign-up-rejected": { path: "/signup", then: rejected("Sign Up") },
  "not-found": { path: "/nowhere" },
  "login-failing": {
    path: "/login",
    failing: true,
    then: async (page) => {
      await page.getByLabel("Email").fill("owner@demo.test");
      await page.getByLabel("Password").fill("a password");
      await page.getByRole("button", { name: "Login" }).click();
      await expect(page.getByRole("alert").first()).toBeVisible();
    },
  },
  "home-failing": { as: "owner", path: "/", failing: true },

  "home-owner": { as: "owner", path: "/", looks: ALL },
  "home-new": { as: "newcomer", path: "/" },
  "home-long": { as: "long", path: "/" },
  listings: { as: "owner", path: "/listings", looks: ALL },
  "listings-empty": { as: "newcomer", path: "/listings" },
  "listings-long": { as: "long", path: "/listings" },
  "listing-form": { as: "owner", path: "/listings/1", looks: ALL },
  "listing-form-rejected": {
    as: "owner",
    path: "/listings/new",
    then: rejected("Submit For Approval"),
  },
  upgrade: { as: "owner", path: "/upgrade", looks: ALL },
  jobs: { as: "owner", path: "/jobs", looks: [...USUAL, "tablet-light", "laptop-light"] },
  "jobs-empty": { as: "newcomer", path: "/jobs" },
  "job-form": { as: "owner", path: "/jobs/new" },
  "job-form-drafts": { as: "long", path: "/jobs/new", looks: FEW },
  leads: { as: "owner", path: "/leads" },
  lead: { as: "owner", path: "/leads", then: follow("Rafael Rahman") },
  "leads-empty": { as: "newcomer", path: "/leads" },
  sponsor: { as: "owner", path: "/sponsor" },
  "sponsor-form": { as: "owner", path: "/sponsor/new", looks: ALL },
  account: { as: "owner", path: "/account" },
  "account-long": { as: "long", path: "/account" },
  purchases: { as: "owner", path: "/account/purchases" },
  privacy: { as: "owner", path: "/privacy" },

  "admin-dashboard": { as: "admin", path: "/admin", looks: ALL },
  "queue-pending": { as: "admin", path: "/admin/pending", looks: ALL },
  "queue-empty": { as: "admin", path: "/admin/pending?search=nothing" },
  review: { as: "admin", path: "/admin/pending", then: follow("Review") },
  "admin-users": { as: "admin", path: "/admin/users" },
  "admin-jobs": {
    as: "admin",
    path: "/admin/jobs",
    looks: [...USUAL, "tablet-light", "laptop-light"],
  },
  "admin-reports": { as: "admin", path: "/admin/reports" },
  "admin-feedback": { as: "admin", path: "/admin/feedback" },
  // Of listings, and without an action that only a sign-up has that is tried again, which leaves an entry, too.
  "admin-audit": {
    as: "admin",
    path: "/admin/audit?subject=places",
    then: (page) =>
      page
        .locator("option", { hasText: "Deleted" })
        .evaluateAll((options) => options.forEach((option) => option.remove())),
  },
  "admin-payments": { as: "admin", path: "/admin/payments" },
};

/** All other pages, as they are without script. */
const PAGES_WITHOUT_SCRIPT: Record<string, State> = {
  recovery: { path: "/recovery" },
  invitation: { path: "/invitation" },
  tracking: { path: "/privacy/tracking" },
  preview: { as: "owner", path: "/listings/1/preview" },
  visibility: { as: "owner", path: "/listings/1/visibility" },
  archive: { as: "owner", path: "/listings/1/archive" },
  withdraw: { as: "owner", path: "/listings/21/withdraw" },
  billing: { as: "owner", path: "/listings/1/billing" },
  "end-plan": { as: "owner", path: "/listings/22/billing/end" },
  managers: { as: "owner", path: "/listings/1/managers" },
  "job-edit": { as: "owner", path: "/jobs/1" },
  "job-status": { as: "owner", path: "/jobs/1/status" },
  "job-preview": { as: "owner", path: "/jobs/1/preview" },
  "sponsorship-paid": { as: "owner", path: "/sponsor/1" },
  "sponsorship-unpaid": { as: "owner", path: "/sponsor/4" },
  notices: { as: "owner", path: "/account/notices" },
  invoices: { as: "owner", path: "/account/invoices" },
  "two-step": { as: "owner", path: "/account/two-step" },
  "delete-account": { as: "owner", path: "/privacy/delete" },
  "queue-new": { as: "admin", path: "/admin/new" },
  "queue-flagged": { as: "admin", path: "/admin/flagged" },
  "all-listings": { as: "admin", path: "/admin/listings" },
  "listings-export": { as: "admin", path: "/admin/listings/export" },
  "featured-listings": { as: "admin", path: "/admin/premium" },
  "change-details": { as: "admin", path: "/admin/listings/21/details" },
  "newsletter-dates": { as: "admin", path: "/admin/newsletter-dates" },
  "admin-order": {
    as: "admin",
    path: "/admin/payments",
    then: follow("Newsletter feature"),
  },
  "admin-user": { as: "admin", path: "/admin/users/5eed0000-0000-4000-8000-000000000002" },
  "admin-user-delete": {
    as: "admin",
    path: "/admin/users/5eed0000-0000-4000-8000-000000000002/delete",
  },
  "users-export": { as: "admin", path: "/admin/users/export" },
  "admin-two-step": { as: "admin", path: "/admin/two-step" },
  database: { as: "admin", path: "/admin/retool" },
};

for (const [name, state] of Object.entries(STATES)) test(name, show(name, state, USUAL));

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });
  for (const [name, state] of Object.entries(PAGES_WITHOUT_SCRIPT))
    test(name, show(name, state, FEW));
});

function show(name: string, state: State, usual: Look[]) {
  return async ({ page, javaScriptEnabled }: { page: Page; javaScriptEnabled: boolean }) => {
    await open(page, state);
    if (javaScriptEnabled) await expect.poll(() => hydrationOf(page)).toBe("hydrated");
    await state.then?.(page);
    await hideWhatDiffers(page);
    await writeDown(page, name, state.looks ?? usual);
    await takePictures(page, name, state.looks ?? usual);
  };
}

async function open(page: Page, { as, path, failing }: State) {
  const url = process.env[failing ? "VISUAL_FAILING_URL" : "E2E_APP_URL"]!;
  if (as) {
    const sessions = JSON.parse(process.env["VISUAL_SESSIONS"]!) as Record<Visitor, string>;
    const cookies = sessions[as].split("; ").map((cookie) => {
      const [cookieName = "", ...value] = cookie.split("=");
      return { name: cookieName, value: value.join("="), url };
    });
    await page.context().addCookies(cookies);
  }
  await page.clock.setFixedTime(FIXED_TIME);
  await page.goto(`${url}${path}`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

/** The code of an error page is another one each time. */
async function hideWhatDiffers(page: Page) {
  await page
    .locator("main code", { hasText: /^[0-9a-f-]{36}$/ })
    .evaluateAll((codes) => codes.forEach((code) => (code.textContent = "00000000…")));
}

/**
 * What a screen reader finds on the page, in its order: the title, which it says first, what has the focus, and the tree
 * of roles and names. On a phone only of states that have most of the parts.
 */
async function writeDown(page: Page, name: string, looks: Look[]) {
  for (const width of looks === ALL ? (["desktop", "phone"] as const) : (["desktop"] as const)) {
    await page.setViewportSize({ width: WIDTHS[width], height: 800 });
    const focused = page.locator(":focus");
    const heard = [
      `title: ${await page.title()}`,
      ...((await focused.count()) > 0 ? [`focus:\n${await readTree(focused)}`] : []),
      await readTree(page.locator("body")),
    ];
    expect(`${heard.join("\n\n")}\n`).toMatchSnapshot(`${name}-${width}.txt`);
  }
}

/** The roles and names, without the URLs, which no one hears, and without the colon before one. */
async function readTree(part: Locator): Promise<string> {
  const lines = (await part.ariaSnapshot())
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("- /url:"));
  const depth = (line = "") => line.search(/\S|$/);
  return lines
    .map((line, index) =>
      depth(lines[index + 1]) > depth(line) ? line : line.replace(/(?<=["'\]]):$/, ""),
    )
    .join("\n");
}

async function takePictures(page: Page, name: string, looks: Look[]) {
  for (const look of looks) {
    const [width, colorScheme] = look.split("-") as [keyof typeof WIDTHS, "light" | "dark"];
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: WIDTHS[width], height: 800 });
    // What sticks to the lower edge is then below the page, or at the end of a picture that is full.
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width: WIDTHS[width], height: Math.min(height, MAX_HEIGHT) });
    // A rejected form leads to its summary.
    await page.evaluate(() => scrollTo(0, 0));
    await expect(page).toHaveScreenshot(`${name}-${look}.webp`);
  }
}
