/**
 * Whether the advertising and email services hear of a visit. The dashboard runs once more here, over
 * the same data, with services configured that listen on this machine.
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { Page } from "playwright/test";

import { startAppOver, type StartedApp } from "../support/running-app";
import { createAccount, supabaseUrl } from "./data-api";
import { checkPage, expect, scripted, submitLogin, test } from "./journey";

/** Who the events that have arrived are about: a hash of the account or of the browser. */
const events: string[] = [];
const service = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => (body += text));
  request.on("end", () => {
    const { data } = JSON.parse(body) as { data: { user_data: object }[] };
    events.push(JSON.stringify(data[0]!.user_data));
    response.end("{}");
  });
});
let app: StartedApp;

test.beforeAll(async () => {
  await new Promise<void>((ready) => service.listen(0, "127.0.0.1", ready));
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  app = await startAppOver({
    SESSION_SECRET: randomBytes(32).toString("base64url"),
    SUPABASE_URL: supabaseUrl(),
    SUPABASE_PUBLISHABLE_KEY: process.env["E2E_PUBLISHABLE_KEY"]!,
    SUPABASE_SECRET_KEY: process.env["E2E_SECRET_KEY"]!,
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

test("no page reports a visit before consent; yes and no take one click each, last, and can be changed", async ({
  browser,
}) => {
  const email = await createAccount("Robin Asked", { admin: true });
  const newBrowser = () => browser.newContext({ baseURL: app.url, javaScriptEnabled: scripted() });
  const page = await (await newBrowser()).newPage();
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  const question = page.getByRole("heading", {
    name: "Help us see which ads work?",
  });
  const pressYes = (one: Page) =>
    one.getByRole("button", { name: "Yes, that’s OK", exact: true }).click();

  // Events leave after the page and in order: once a later visit of someone who has agreed was
  // reported, nothing of an earlier visit is still on its way.
  const agreed = await (await newBrowser()).newPage();
  await agreed.goto("/login");
  await pressYes(agreed);
  await expect.poll(() => events.length).toBe(1);
  const [reference] = events.splice(0);
  const otherEvents = async () => {
    await agreed.goto("/login");
    await expect.poll(() => events).toContain(reference);
    return events.splice(0).filter((event) => event !== reference);
  };

  for (const path of ["/signup", "/recovery", "/leads", "/login"]) await page.goto(path);
  await expect(question).toBeVisible();
  await checkPage(page, "consent question");
  await submitLogin(page, email);
  await expect(page.getByRole("button", { name: "Logout" })).toBeVisible();
  await page.goto("/admin/users");
  await expect(question).toHaveCount(0);
  for (const path of ["/listings", "/sponsor/new", "/upgrade", "/privacy"]) await page.goto(path);
  expect(await otherEvents()).toEqual([]);

  await pressYes(page);
  await expect(question).toHaveCount(0);
  expect(await otherEvents()).toHaveLength(1);
  await page.goto("/privacy");
  await page.getByRole("link", { name: "View your choice" }).click();
  await expect(page.getByText("You said yes. You can change this any time.")).toBeVisible();
  await page.getByRole("button", { name: "No thanks" }).click();
  await expect(page.getByText("You said no, so we don’t share anything.")).toBeVisible();
  await otherEvents();
  await page.goto("/listings");
  expect(await otherEvents()).toEqual([]);
  await expect(question).toHaveCount(0);
  expect([...hosts]).toEqual([new URL(app.url).host]);
});
