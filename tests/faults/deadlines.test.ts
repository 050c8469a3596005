/**
 * Requests whose outside calls are all slow: together they get the time of one request, the response says who was slow,
 * and nothing is lost. Everything here runs at a tenth of the real times.
 */
import { randomUUID } from "node:crypto";

import { delay, http, passthrough } from "msw";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { requestLimit } from "~/integrations/upstream/request-scope.server";

import { insertJob } from "../support/buyer";
import { jobForm } from "../support/forms";
import { outside } from "../support/outside";
import { measureWaiting } from "../support/waiting-time";
import { createWorld, type Member } from "../support/world";

import { recover } from "./outage";

const world = await createWorld({ stripe: true });
const { log } = await import("~/http/log.server");
const LIMIT_MS = 1_000;
const DELAY_MS = 300;

// What is loaded at the first request takes time that is not the app's.
beforeAll(async () => {
  const first = await world.owner();
  await first.submit(`/jobs/${await insertJob(world, first)}/status`, { intent: "pay" });
});

let owner: Member;
let job: number;
beforeEach(async () => {
  owner = await world.owner();
  job = await insertJob(world, owner);
});

/** Gives requests a tenth of their time, or another one, until the end of the test. */
function shortenTime(limitMs = LIMIT_MS) {
  const { ms } = requestLimit;
  requestLimit.ms = limitMs;
  onTestFinished(() => void (requestLimit.ms = ms));
}

function slowDown(...origins: string[]) {
  for (const origin of origins)
    outside.use(
      http.all(`${origin}/*`, async () => {
        await delay(DELAY_MS);
        return passthrough();
      }),
    );
}

/** The lines about failures that are logged from now on. */
function watchLog() {
  const spy = vi.spyOn(log(), "warn").mockImplementation(() => undefined);
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.map(([line]) => line as Record<string, unknown>);
}

describe("when every call takes three seconds", () => {
  it("paying for a job takes no longer than one request may, and blames who was slow", async () => {
    const lines = watchLog();
    shortenTime();
    slowDown(world.supabase.url, world.stripe.url);
    const { result: page, waitedMs } = await measureWaiting(() =>
      owner.submit(`/jobs/${job}/status`, { intent: "pay" }),
    );
    expect(waitedMs).toBeLessThan(LIMIT_MS + DELAY_MS);
    expect(page).toHaveStatus(503);
    expect(page.text).toMatch(/Our database is slow right now/);
    expect(page.text).not.toMatch(/payment provider/i);
    // Before it may be one that an attempt could not be counted.
    expect(lines()).toContainEqual(
      expect.objectContaining({
        call: expect.objectContaining({
          name: expect.stringMatching(/^(supabase|stripe) /) as string,
        }) as object,
        shown: expect.stringContaining("Our database is slow right now") as string,
      }),
    );

    recover();
    requestLimit.ms = 60_000;
    const checkout = (await owner.submit(`/jobs/${job}/status`, { intent: "pay" })).location!;
    await world.stripe.pay(checkout);
    expect(await world.row("jobs", job)).toMatchObject({ paid: true });
  });

  it("a new job is saved, or comes back with all that was typed, and is there once in the end", async () => {
    const fields = jobForm({ title: "Night baker", submission_id: randomUUID() });
    shortenTime();
    slowDown(world.supabase.url, world.stripe.url);
    const first = await owner.submit("/jobs/new", fields);
    expect(first.status, first.text).toBeOneOf([303, 503]);
    if (first.status === 503) {
      expect(first.text).toMatch(/is slow right now/);
      expect(first.body).toContain("Night baker");
    }
    recover();
    requestLimit.ms = 60_000;
    if (first.status === 503) expect((await owner.submit("/jobs/new", fields)).status).toBe(303);
    expect(
      await world.sql("select title from public.jobs where owner = $1 and title = 'Night baker'", [
        owner.id,
      ]),
    ).toHaveLength(1);
  });

  it("a page says so in words, and a page after it does not", async () => {
    const { ms } = requestLimit;
    onTestFinished(() => void (requestLimit.ms = ms));
    requestLimit.ms = DELAY_MS / 2;
    slowDown(world.supabase.url);
    const page = await owner.page("/listings");
    expect(page).toHaveStatus(503);
    expect(page.heading).toBe("This is taking too long");
    expect(page).toSay("Our database is slow right now, so we stopped waiting.");
    requestLimit.ms = ms;
    recover();
    expect(await owner.page("/listings")).toHaveStatus(200);
  });
});

it("when only the payment provider is slow, the page names it, and nothing was charged", async () => {
  // Less than what a call to Stripe may take, and much more than the database needs on a busy machine.
  shortenTime(4 * LIMIT_MS);
  slowDown(world.stripe.url);
  // Several of its calls fit into the time, and not all of them.
  outside.use(
    http.post(`${world.stripe.url}/v1/checkout/sessions`, async () => {
      await delay("infinite");
    }),
  );
  const page = await owner.submit(`/jobs/${job}/status`, { intent: "pay" });
  expect(page).toHaveStatus(503);
  expect(page).toSay("Our payment provider is slow right now. You weren’t charged");
  expect(page).toSay("your order is saved");
});

it("a webhook has no share in the time of a person", async () => {
  const checkout = (await owner.submit(`/jobs/${job}/status`, { intent: "pay" })).location!;
  shortenTime();
  requestLimit.ms = 1;
  slowDown(world.supabase.url);
  await world.stripe.pay(checkout);
  expect(await world.row("jobs", job)).toMatchObject({ paid: true });
});
