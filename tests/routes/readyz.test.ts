/** What /readyz says, and to whom. */
import { http, HttpResponse } from "msw";
import { afterEach, describe, expect, it, vi } from "vitest";

import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld();
const { checkReadiness } = await import("~/integrations/supabase/readiness.server");
const { noticeProxy } = await import("~/http/detect-proxy.server");
const { log } = await import("~/http/log.server");

const { recordRun } = await import("~/integrations/supabase/scheduled-runs.server");

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** As the worker does. */
const workRuns = async () => {
  for (const name of ["emails:send", "erase-due"] as const) await recordRun(name);
};

it("tells admins when nothing has done what is due", async () => {
  const detailsOf = async () =>
    ((await (await world.admin()).get("/readyz")).data as { details: string[] }).details;
  expect(await detailsOf()).toEqual([
    expect.stringMatching(/^Nothing has run emails:send for two days\. .+npm run work/),
    expect.stringMatching(/^Nothing has run erase-due for two days\. .+npm run work/),
  ]);
  expect((await world.anonymous().get("/readyz")).data).toEqual(ready);
  await workRuns();
  expect(await detailsOf()).toEqual([]);
});

const ready = { status: "ready" };

/** As a project answers a key that is not its own. */
const rejectKey = () => HttpResponse.json({ message: "Invalid API key" }, { status: 401 });
const secretCall = `${world.supabase.url}/rest/v1/rpc/return_rate_token`;

it("is ready when the database answers and accepts both keys", async () => {
  expect(await checkReadiness()).toEqual({
    available: true,
    rejectedKeys: [],
    failures: [],
    gap: null,
  });
  const answer = await world.anonymous().get("/readyz");
  expect(answer).toHaveStatus(200);
  expect(answer.data).toEqual(ready);
});

it("is not ready while the tables of addresses load, which admins read", async () => {
  const admin = await world.admin();
  const { loadAddresses } = await import("~/integrations/addresses/addresses.server");
  loadAddresses();
  const loading = await admin.get("/readyz");
  expect(loading).toHaveStatus(503);
  expect(loading.data).toEqual({
    status: "not ready",
    details: ["The address tables are still loading. This takes a few seconds after a start."],
  });
  await expect
    .poll(async () => (await world.anonymous().get("/readyz")).status, { interval: 100 })
    .toBe(200);
});

describe("a database whose migrations are not those of the code", () => {
  const table = "supabase_migrations.schema_migrations";
  const take = (version: string) => world.sql(`delete from ${table} where version = $1`, [version]);
  const add = (version: string) =>
    world.sql(`insert into ${table} (version) values ($1)`, [version]);
  const detailsOf = async () =>
    ((await (await world.admin()).get("/readyz")).data as { details: string[] }).details;

  it("makes the app unready when it is older, which the log says once, but not when it is newer", async () => {
    const logged = vi.spyOn(log(), "error").mockImplementation(() => undefined);
    expect(await detailsOf()).toEqual([]);
    const [newest] = await world.sql(`select max(version) as version from ${table}`);
    const version = String(newest!["version"]);
    await take(version);
    const older = `The database is older than this code: it lacks ${version}. Push the migrations.`;
    expect(await detailsOf()).toEqual([older]);
    expect(await world.anonymous().get("/readyz")).toHaveStatus(503);
    expect(logged).toHaveBeenCalledExactlyOnceWith({ reasons: [older] }, "not ready");
    await add(version);
    await add("29990101000000");
    expect((await world.anonymous().get("/readyz")).data).toEqual(ready);
    expect(await detailsOf()).toEqual([
      "The database is newer than this code, which does not know 29990101000000. Deploy the code that it belongs to.",
    ]);
    await take("29990101000000");
  });
});

describe("a key that is not accepted", () => {
  it("makes it not ready, and only an admin learns which, by the name of its variable", async () => {
    const logged = vi.spyOn(log(), "error").mockImplementation(() => undefined);
    outside.use(http.post(secretCall, rejectKey));
    for (const person of [world.anonymous(), await world.owner()]) {
      const answer = await person.get("/readyz");
      expect(answer).toHaveStatus(503);
      expect(answer.data).toEqual({ status: "not ready" });
    }
    const answer = await (await world.admin()).get("/readyz");
    expect(answer.data).toEqual({
      status: "not ready",
      details: ["SUPABASE_SECRET_KEY is not accepted by the project at SUPABASE_URL."],
    });
    expect(answer.body).not.toContain(world.supabase.secretKey);
    expect(logged).toHaveBeenCalledExactlyOnceWith(
      { reasons: ["SUPABASE_SECRET_KEY is not accepted by the project at SUPABASE_URL."] },
      "not ready",
    );
  });

  it("is found by asking, whether it is unknown or has too few rights", async () => {
    const { createServiceClient } = await import("~/integrations/supabase/clients.server");
    expect(
      (await createServiceClient().rpc("return_rate_token", { bucket: "x" })).error,
    ).toBeNull();
    const headers = { apikey: world.supabase.publishableKey, "Content-Type": "application/json" };
    const body = JSON.stringify({ bucket: "x" });
    // What the database itself answers when the publishable key is in both variables.
    const denied = await fetch(secretCall, { method: "POST", headers, body });
    expect([401, 403]).toContain(denied.status);
    const text = await denied.text();
    outside.use(
      http.post(
        secretCall,
        () =>
          new HttpResponse(text, {
            status: denied.status,
            headers: { "Content-Type": "application/json" },
          }),
      ),
    );
    expect((await checkReadiness()).rejectedKeys).toEqual(["SUPABASE_SECRET_KEY"]);
    outside.resetHandlers();
    outside.use(http.get(`${world.supabase.url}/rest/v1/categories`, rejectKey));
    expect((await checkReadiness()).rejectedKeys).toEqual(["SUPABASE_PUBLISHABLE_KEY"]);
  });
});

it("a proxy without TRUSTED_IP_HEADER is shown to admins, but doesn't make the app unready", async () => {
  vi.spyOn(log(), "warn").mockImplementation(() => undefined);
  noticeProxy({ "x-forwarded-for": "203.0.113.9" }, "10.0.0.1");
  expect((await world.anonymous().get("/readyz")).data).toEqual(ready);
  const { data } = await (await world.admin()).get("/readyz");
  expect(data).toMatchObject(ready);
  expect((data as { details: string[] }).details[0]).toContain("TRUSTED_IP_HEADER is not set");
});

const anyCall = `${world.supabase.url}/*`;
const host = new URL(world.supabase.url).host;
const notFound = (code: string) => () =>
  HttpResponse.json({ code, message: "Could not find it in the schema cache" }, { status: 404 });

it.each([
  ["a stopped database", () => HttpResponse.error(), /isn’t responding: no answer/],
  [
    "a paused project",
    () => new HttpResponse("", { status: 540 }),
    /isn’t responding: answered 540/,
  ],
  [
    "another website",
    () => HttpResponse.html("<h1>Hello</h1>"),
    /isn’t responding: answered text\/html/,
  ],
  ["an empty project", notFound("PGRST205"), /has none of the migrations/],
])("%s tells nothing to strangers, and its reason to the log, once", async (_, answer, reason) => {
  const logged = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  outside.use(http.all(anyCall, answer));
  for (let times = 0; times < 2; times++) {
    const page = await world.anonymous().get("/readyz");
    expect(page).toHaveStatus(503);
    expect(page.data).toEqual({ status: "not ready" });
  }
  expect(logged).toHaveBeenCalledOnce();
  const [{ reasons }, message] = logged.mock.calls[0] as unknown as [{ reasons: string[] }, string];
  expect(message).toBe("not ready");
  expect(reasons).toEqual([expect.stringMatching(reason)]);
  expect(reasons[0]).toContain(host);
  outside.resetHandlers();
  await world.anonymous().get("/readyz");
});

it("asks the database while it finds out who asks, so that an outage costs one wait", async () => {
  const owner = await world.owner();
  let open = 0;
  let most = 0;
  outside.use(
    http.all(anyCall, async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 200));
      open -= 1;
      return HttpResponse.error();
    }),
  );
  vi.spyOn(log(), "error").mockImplementation(() => undefined);
  await owner.get("/readyz");
  // The session, the migrations, and one call for each key.
  expect(most).toBe(4);
});
