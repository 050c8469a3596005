/** The hosted pages in a browser: they contain no script, and are accessible. */
import { chromium, type Locator } from "playwright";
import { afterAll, expect, it } from "vitest";

import { listenOnLoopback } from "../../local/listener";
import { findViolations } from "../support/axe";
import { findBrowser } from "../support/browser";
import { startTestStripe } from "../support/stripe";

/** In the place of the app. */
const app = await listenOnLoopback(
  0,
  async () => new Response("<h1>The app</h1>", { headers: { "content-type": "text/html" } }),
);
afterAll(() => app.close());
const stripe = await startTestStripe(app.url, async () => ({ status: 200, body: "" }));
const { sdk } = stripe;
const found = await findBrowser();
const browser = await chromium.launch({
  ...(found.executablePath ? { executablePath: found.executablePath } : {}),
  args: found.args,
  env: { ...process.env, ...found.env },
  timeout: 300_000,
});
afterAll(() => browser.close());
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
context.setDefaultTimeout(120_000);
const page = await context.newPage();
const problems: string[] = [];
page.on("console", (message) => problems.push(message.text()));
page.on("pageerror", (error) => problems.push(error.message));
afterAll(() =>
  expect(problems.filter((message) => !message.startsWith("Failed to load resource"))).toEqual([]),
);

/**
 * What every page must meet. All have the same colors, so only some are checked in dark mode,
 * too.
 */
async function check({ dark = false } = {}): Promise<void> {
  expect(await page.locator("script").count()).toBe(0);
  expect(await page.getByText("No money moves").count()).toBe(1);
  for (const colorScheme of dark ? (["light", "dark"] as const) : (["light"] as const)) {
    expect(
      await findViolations(page, colorScheme),
      `${page.url()} in ${colorScheme} colors`,
    ).toEqual([]);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth),
    `${page.url()} at 320 px`,
  ).toBeLessThanOrEqual(320);
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Clicks a link or a button, and waits for the document that it leads to: a click alone ends before that begins. */
async function click(target: Locator): Promise<void> {
  const loaded = page.waitForEvent("load");
  await target.click();
  await loaded;
}

const customer = await sdk.customers.create({ email: "rosa@example.test" });
const [monthly, ...others] = stripe.account.store
  .all("price")
  .filter(({ product }) => product === "featured");

it("take a promotion code, a declined card and one that needs authentication", async () => {
  const session = await sdk.checkout.sessions.create({
    mode: "payment",
    customer: customer.id,
    allow_promotion_codes: true,
    line_items: [
      {
        quantity: 2,
        price_data: {
          currency: "usd",
          unit_amount: 4500,
          product_data: { name: `Newsletter <Sponsorship> & "more"` },
        },
      },
    ],
    success_url: `${app.url}/sponsor?paid={CHECKOUT_SESSION_ID}`,
    cancel_url: `${app.url}/sponsor?cancelled=1`,
  });
  await page.goto(session.url!);
  expect(await page.getByRole("cell", { name: `Newsletter <Sponsorship> & "more"` }).count()).toBe(
    1,
  );
  await check({ dark: true });
  await click(page.getByRole("link", { name: "Back without paying" }));
  expect(page.url()).toBe(`${app.url}/sponsor?cancelled=1`);

  await page.goto(session.url!);
  await page.getByLabel("Promotion code").fill("rainbow50");
  await click(page.getByRole("button", { name: "Apply" }));
  await page.getByLabel(/A card that is declined/).check();
  await click(page.getByRole("button", { name: "Pay $45.00" }));
  expect(await page.getByRole("alert").textContent()).toBe("Your card was declined.");
  await check();
  await page.getByLabel(/3-D Secure/).check();
  await click(page.getByRole("button", { name: "Pay $45.00" }));
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Confirm it’s you");
  await check();
  await click(page.getByRole("button", { name: /^Confirm payment/ }));
  expect(page.url()).toBe(`${app.url}/sponsor?paid=${session.id}`);

  await page.goto(session.url!);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("This checkout is paid");
  await check();
});

it("start a subscription, and cancel, resume, fail and fix it in the portal", async () => {
  const session = await sdk.checkout.sessions.create({
    mode: "subscription",
    customer: customer.id,
    line_items: [{ price: monthly!.id, quantity: 1 }],
    success_url: `${app.url}/upgrade`,
  });
  await page.goto(session.url!);
  await check();
  await click(page.getByRole("button", { name: "Subscribe" }));
  expect(page.url()).toBe(`${app.url}/upgrade`);

  const configuration = await sdk.billingPortal.configurations.create({
    features: {
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: "at_period_end" },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ["price"],
        proration_behavior: "none",
        products: [{ product: "featured", prices: others.map(({ id }) => id) }],
      },
    },
  });
  const { url } = await sdk.billingPortal.sessions.create({
    customer: stripe.session(session.id).customer as string,
    configuration: configuration.id,
    return_url: `${app.url}/listings`,
  });
  await page.goto(url);
  await check();
  await click(page.getByRole("link", { name: /^Cancel plan/ }));
  await check();
  await click(page.getByRole("button", { name: "Cancel plan" }));
  expect(await page.getByText(/^Ends on/).count()).toBe(1);
  await click(page.getByRole("button", { name: /^Keep plan/ }));
  await click(page.getByRole("button", { name: /decline the card/ }));
  expect(await page.getByText("The last payment failed.").count()).toBe(1);
  await check({ dark: true });
  await click(page.getByRole("link", { name: /-0002$/ }));
  await check();
  await page.goto(url);
  await click(page.getByRole("button", { name: /^Fix the card/ }));
  expect(await page.getByText(/^Renews on/).count()).toBe(1);
  await click(page.getByRole("link", { name: "Go back" }));
  expect(page.url()).toBe(`${app.url}/listings`);
});

it("show payments, events and receipts, and refund and dispute payments", async () => {
  await page.goto(`${stripe.url}/payments`);
  await check();
  await page.getByRole("spinbutton").last().fill("5.50");
  await click(page.getByRole("button", { name: /^Refund/ }).last());
  expect(await page.getByText("Paid, $5.50 refunded").count()).toBe(1);
  await click(page.getByRole("button", { name: /^Dispute it/ }).first());
  await click(page.getByRole("button", { name: /^Lose the dispute/ }));
  expect(await page.getByText("Dispute lost").count()).toBe(1);
  await click(page.getByRole("link", { name: /^Receipt/ }).last());
  await page.getByText("$5.50").first().waitFor();
  expect(await page.getByText("$5.50").count()).toBe(1);
  await check();

  await page.goto(`${stripe.url}/events`);
  await check({ dark: true });
  await click(page.getByRole("link", { name: /^checkout\.session\.completed/ }).first());
  await check();
  await click(page.getByRole("button", { name: "Send it twice" }));
  expect(await page.getByRole("listitem").filter({ hasText: "200" }).count()).toBe(3);
});
