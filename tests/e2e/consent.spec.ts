/** Who hears of a visit: nobody before a yes, and nobody after a no. With services to tell, which stand on this machine. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { Page } from "playwright/test";

import { startApp, type RunningApp } from "../support/running-app";
import { checkPage, demo, expect, PASSWORD, scripted, test } from "./journey";

const told: string[] = [];
const service = createServer((request, response) => {
  told.push(request.url!);
  request.resume().on("end", () => response.end("{}"));
});
let app: RunningApp;

test.beforeAll(async () => {
  await new Promise<void>((ready) => service.listen(0, "127.0.0.1", ready));
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  app = await startApp({
    AD_CONVERSIONS_URL: `${address}/ads`,
    AD_CONVERSIONS_TOKEN: "token",
    EMAIL_EVENTS_URL: `${address}/emails`,
    EMAIL_EVENTS_KEY: "key",
  });
});
test.afterAll(async () => {
  await app.stop();
  service.close();
});

/** What is told goes out after the page: a moment for it. */
const toldOf = async (page: Page, act: () => Promise<unknown>) => {
  told.length = 0;
  await act();
  await page.waitForTimeout(400);
  return [...told];
};

test("no page calls anybody else; a yes and a no are as easily said, kept, and taken back", async ({
  browser,
}) => {
  const context = await browser.newContext({ baseURL: app.url, javaScriptEnabled: scripted() });
  const page = await context.newPage();
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  const asks = page.getByRole("heading", {
    name: "May we tell our advertising and e-mail services when you visit or buy something?",
  });

  expect(
    await toldOf(page, async () => {
      for (const path of ["/signup", "/recovery", "/upgrade", "/leads", "/privacy", "/login"])
        await page.goto(path);
      await expect(asks).toBeVisible();
      await page.getByLabel("Email").fill(demo.admin);
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Login" }).click();
      await expect(page.getByRole("button", { name: "Logout" })).toBeVisible();
      const owners = [
        "/",
        "/listings",
        "/listings/new",
        "/jobs",
        "/jobs/new",
        "/sponsor",
        "/sponsor/new",
        "/leads",
        "/upgrade",
        "/account",
        "/account/notices",
        "/privacy",
      ];
      const admins = [
        "",
        "/new",
        "/pending",
        "/jobs",
        "/users",
        "/feedback",
        "/reports",
        "/audit",
        "/newsletter-dates",
      ].map((path) => `/admin${path}`);
      for (const path of [...owners, ...admins]) await page.goto(path);
    }),
  ).toEqual([]);
  await checkPage(page);

  expect(
    await toldOf(page, () => page.getByRole("button", { name: "Yes, you may" }).click()),
  ).toEqual(["/ads"]);
  await expect(asks).toHaveCount(0);
  await page.goto("/privacy");
  await page.getByRole("link", { name: "Look at your choice" }).click();
  await expect(
    page.getByText("You said yes. You can take it back here at any time."),
  ).toBeVisible();
  await page.getByRole("button", { name: "No, don’t" }).click();
  await expect(page.getByText("You said no: nobody is told anything.")).toBeVisible();
  expect(await toldOf(page, () => page.goto("/listings"))).toEqual([]);
  await expect(asks).toHaveCount(0);
  expect([...hosts]).toEqual([new URL(app.url).host]);
  await context.close();
});

test("a choice that somebody else wrote into the browser is none", async ({ browser }) => {
  const context = await browser.newContext({ baseURL: app.url, javaScriptEnabled: scripted() });
  const page = await context.newPage();
  await page.goto("/login");
  expect(
    await toldOf(page, () => page.getByRole("button", { name: "Yes, you may" }).click()),
  ).toEqual(["/ads"]);
  const kept = (await context.cookies()).find(({ name }) => name.includes("tracking"))!;
  const [value, signature] = decodeURIComponent(kept.value).split(".");
  for (const forged of [
    `${value}.${signature!.replace(/^./, (letter) => (letter === "A" ? "B" : "A"))}`,
    value!,
    "yes",
  ]) {
    await context.addCookies([{ ...kept, value: encodeURIComponent(forged) }]);
    expect(await toldOf(page, () => page.goto("/login"))).toEqual([]);
    await expect(page.getByRole("button", { name: "Yes, you may" })).toBeVisible();
  }
  await context.close();
});
