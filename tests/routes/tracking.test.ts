/** The events that advertising and email services get: none before a yes, none after a no. */
import { createHash, randomUUID } from "node:crypto";

import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import type { MarketingEvent } from "~/integrations/tracking/tracking.server";
import { TRACKING_TEXT } from "~/modules/privacy/tracking-text";

import { outside } from "../support/outside";
import { findRecoveryCodes, turnOnTwoStep } from "../support/authenticator";
import { createWorld } from "../support/world";

const ADS = "https://ads.example/v24.0/1/events";
const EMAILS = "https://emails.example/api/events";
const world = await createWorld({
  env: {
    APP_NAME: "Queer Map",
    AD_CONVERSIONS_URL: ADS,
    AD_CONVERSIONS_TOKEN: "ads-token",
    EMAIL_EVENTS_URL: EMAILS,
    EMAIL_EVENTS_KEY: "emails-key",
  },
});
const { trackAccount, trackVisitor } = await import("~/modules/privacy/tracking-consent.server");
const { log } = await import("~/http/log.server");

interface SentEvent {
  url: string;
  authorization: string | null;
  body: string;
}

/** Collects the events that are sent for the rest of the test. */
function listen(status = 200): SentEvent[] {
  const sent: SentEvent[] = [];
  outside.use(
    ...[ADS, EMAILS].map((url) =>
      http.post(url, async ({ request }) => {
        sent.push({
          url,
          authorization: request.headers.get("Authorization"),
          body: await request.text(),
        });
        return HttpResponse.json({}, { status });
      }),
    ),
  );
  return sent;
}

/** Waits for a number of events, and then a moment longer in case there are more. */
async function waitForEvents(sent: SentEvent[], count: number) {
  await expect.poll(() => sent.length).toBeGreaterThanOrEqual(count);
  await waitForMore();
  expect(sent).toHaveLength(count);
}
const waitForMore = () => new Promise((done) => setTimeout(done, 30));
const choose = (
  person: { post: (path: string, fields: Record<string, string>) => Promise<unknown> },
  tracking: string,
) => person.post("/privacy/tracking", { tracking, return_to: "/login" });

describe("before a choice", () => {
  it("sends no event, and each page asks with equal buttons for yes and no", async () => {
    const sent = listen();
    const owner = await world.owner();
    for (const page of [
      await world.anonymous().page("/login"),
      await owner.page("/listings"),
      await owner.page("/account"),
    ]) {
      expect(page).toSay("Help us see which ads work?");
      const classes = [...page.body.matchAll(/<button[^>]*name="tracking"[^>]*>/g)].map(
        ([button]) => /class="([^"]*)"/.exec(button)?.[1],
      );
      expect(classes).toEqual(["btn btn-quiet", "btn btn-quiet"]);
    }
    await waitForMore();
    expect(sent).toEqual([]);
  });
});

describe("after a yes", () => {
  it("sends a visit without the directory's name, an address, or anything that identifies a person", async () => {
    const sent = listen();
    const owner = await world.owner({
      fullName: "Robin Rainbow",
      pronouns: "they/them",
      phone: "+14155550123",
    });
    expect(
      await owner.post("/privacy/tracking", { tracking: "yes", return_to: "/listings" }),
    ).toRedirectTo("/listings");
    const page = await owner.page("/listings");
    expect(page).not.toSay("Help us see which ads work");
    await waitForEvents(sent, 1);
    const [{ url, authorization, body }] = sent as [SentEvent];
    expect([url, authorization]).toEqual([ADS, "Bearer ads-token"]);
    expect(JSON.parse(body)).toEqual({
      data: [
        {
          event_name: "PageView",
          event_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
          event_time: expect.any(Number),
          action_source: "system_generated",
          user_data: { em: [createHash("sha256").update(owner.email).digest("hex")] },
        },
      ],
    });
  });

  it("stores the choice with its text and page, and applies it in another browser", async () => {
    const sent = listen();
    const owner = await world.owner();
    await owner.post("/privacy/tracking", { tracking: "yes", return_to: "/account" });
    expect(
      await world.sql(
        "select granted, text_version, page from public.consents where user_id = $1 and channel = 'tracking'",
        [owner.id],
      ),
    ).toEqual([{ granted: true, text_version: TRACKING_TEXT.version, page: "/account" }]);
    await (await world.signIn(owner)).page("/listings");
    await waitForEvents(sent, 1);
  });

  it("sends the email service only upgrade events, and the ad platform a purchase with its amount", async () => {
    const sent = listen();
    const owner = await world.owner({ email: "buyer@example.test" });
    await owner.post("/privacy/tracking", { tracking: "yes", return_to: "/" });
    await trackAccount(owner.id, { name: "viewed_upgrade_page" }, log());
    await trackAccount(
      owner.id,
      {
        name: "Purchase",
        orderId: "5eed0000-0000-4000-9000-000000000001",
        cents: 2900,
        currency: "usd",
      },
      log(),
    );
    await waitForEvents(sent, 2);
    expect(sent.map(({ url, authorization }) => [url, authorization]).sort()).toEqual([
      [ADS, "Bearer ads-token"],
      [EMAILS, "Klaviyo-API-Key emails-key"],
    ]);
    const purchase = sent.find(({ url }) => url === ADS)!.body;
    expect(JSON.parse(purchase)).toMatchObject({
      data: [
        {
          event_name: "Purchase",
          event_id: "5eed0000-0000-4000-9000-000000000001",
          custom_data: { value: 29, currency: "USD" },
        },
      ],
    });
    expect(purchase).not.toContain("buyer");
  });

  it("tells the services what the question says, and nothing else", async () => {
    const sent = listen();
    const owner = await world.owner();
    await owner.post("/privacy/tracking", { tracking: "yes", return_to: "/" });
    const events: [MarketingEvent, string, string][] = [
      [{ name: "PageView" }, ADS, "when you visit"],
      [{ name: "InitiateCheckout" }, ADS, "start a payment"],
      [{ name: "Purchase", orderId: randomUUID(), cents: 500, currency: "usd" }, ADS, "or buy"],
      [{ name: "viewed_upgrade_page" }, EMAILS, "when you view the upgrade page"],
      [{ name: "started_checkout" }, EMAILS, "or start to upgrade"],
    ];
    const [toAds, toEmails] = TRACKING_TEXT.explanation.split("our email service");
    for (const [index, [event, service, words]] of events.entries()) {
      await trackAccount(owner.id, event, log());
      await waitForEvents(sent, index + 1);
      expect([event.name, sent.at(-1)!.url]).toEqual([event.name, service]);
      expect(service === ADS ? toAds : toEmails).toContain(words);
      // The ad service gets the address scrambled, the email service as it is.
      expect(sent.at(-1)!.body.includes(owner.email)).toBe(service === EMAILS);
    }
    expect([toAds, toEmails].map((text) => /with your email[^.]*/.exec(text!)?.[0])).toEqual([
      "with your email scrambled",
      "with your email",
    ]);
  });

  it("ignores a service that fails", async () => {
    const sent = listen(500);
    const owner = await world.owner();
    await owner.post("/privacy/tracking", { tracking: "yes", return_to: "/" });
    expect(await owner.page("/listings")).toHaveStatus(200);
    await waitForEvents(sent, 1);
    let requests = 0;
    outside.use(
      http.post(ADS, () => {
        requests += 1;
        return HttpResponse.error();
      }),
    );
    expect(await owner.page("/listings")).toHaveStatus(200);
    await expect.poll(() => requests).toBe(1);
  });
});

describe("after a no, or a withdrawn yes", () => {
  it("sends no event and does not ask again", async () => {
    const sent = listen();
    const owner = await world.owner();
    await choose(owner, "yes");
    await choose(owner, "no");
    expect(await owner.page("/listings")).not.toSay("Help us see which ads work");
    await trackAccount(
      owner.id,
      {
        name: "Purchase",
        orderId: "5eed0000-0000-4000-9000-000000000002",
        cents: 500,
        currency: "usd",
      },
      log(),
    );
    await waitForMore();
    expect(sent).toEqual([]);
    expect(
      await world.sql(
        "select granted from public.consents where user_id = $1 and channel = 'tracking' order by id",
        [owner.id],
      ),
    ).toEqual([{ granted: true }, { granted: false }]);
    expect(await owner.page("/privacy/tracking")).toSay("You said no");
  });

  it("treats anything but a yes as a no", async () => {
    const owner = await world.owner();
    await choose(owner, "perhaps");
    expect(await owner.page("/privacy/tracking")).toSay("You said no");
  });
});

describe("a browser without a session", () => {
  it("stores its own choice with a random id", async () => {
    const sent = listen();
    const visitor = world.anonymous();
    await choose(visitor, "yes");
    expect(await visitor.page("/login")).not.toSay("Help us see which ads work");
    await waitForEvents(sent, 1);
    expect(JSON.parse(sent[0]!.body)).toMatchObject({
      data: [{ user_data: { external_id: [expect.stringMatching(/^[0-9a-f]{64}$/)] } }],
    });
  });

  it("with a tampered cookie is asked again", async () => {
    const sent = listen();
    const visitor = world.anonymous();
    await choose(visitor, "yes");
    const cookie = visitor.cookies.header()!;
    const [, value, signature] = /tracking=([^.;]+)\.([^;]+)/.exec(decodeURIComponent(cookie))!;
    for (const forged of [
      `${value!.slice(0, -2)}AA.${signature}`,
      `${value}.${signature!.replace(/^./, (letter) => (letter === "A" ? "B" : "A"))}`,
      value!,
      "yes",
    ]) {
      const page = await world
        .anonymous()
        .page("/login", { headers: { Cookie: `tracking=${encodeURIComponent(forged)}` } });
      expect(page, forged).toSay("Help us see which ads work");
    }
    await waitForMore();
    expect(sent).toEqual([]);
  });

  it("isn’t bound by the yes of a user who has left it: the next person is asked, and nothing is sent", async () => {
    const sent = listen();
    const owner = await world.owner();
    await owner.post("/privacy/tracking", { tracking: "yes", return_to: "/privacy" });
    await owner.post("/logout");
    expect(await owner.page("/login")).toSay("Help us see which ads work");
    await waitForMore();
    expect(sent).toEqual([]);
  });

  it("does not choose for an account that signs in later", async () => {
    const sent = listen();
    const owner = await world.owner();
    const browser = await world.signIn(owner);
    browser.cookies.store(new Headers({ "Set-Cookie": await acceptAsVisitor() }));
    expect(await browser.page("/listings")).toSay("Help us see which ads work");
    await waitForMore();
    expect(sent).toEqual([]);
  });
});

async function acceptAsVisitor(): Promise<string> {
  const answer = await world
    .anonymous()
    .post("/privacy/tracking", { tracking: "yes", return_to: "/" });
  return answer.setCookies.find((cookie) => cookie.startsWith("tracking="))!;
}

it("is not asked beside new recovery codes, which an answer would take away before they are saved", async () => {
  const owner = await world.owner();
  const app = await turnOnTwoStep(world, owner);
  await owner.post("/account/two-step", { intent: "codes", app_code: await app.code() });
  const page = await owner.page("/account/two-step/codes");
  expect(findRecoveryCodes(page)).toHaveLength(10);
  expect(page).not.toSay("Help us see which ads work");
  expect(await owner.page("/account/two-step")).toSay("Help us see which ads work");
});

it("redirects only to a page of the dashboard", async () => {
  expect(
    await world
      .anonymous()
      .post("/privacy/tracking", { tracking: "no", return_to: "//evil.example" }),
  ).toRedirectTo("/");
});

it("neither asks nor sends events without a configured service", async () => {
  const { env } = await import("~/env.server");
  const { tracking } = env();
  env().tracking = { ads: null, email: null };
  try {
    expect(await world.anonymous().page("/login")).not.toSay("Help us see which ads work");
    const owner = await world.owner();
    await choose(owner, "yes");
    await trackVisitor(
      { request: new Request(`${world.appUrl}/`), session: null },
      { name: "PageView" },
      log(),
    );
    expect(await owner.page("/listings")).toHaveStatus(200);
  } finally {
    env().tracking = tracking;
  }
});
