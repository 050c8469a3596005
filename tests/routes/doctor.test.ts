/**
 * `npm run doctor`: over an installation of stand-ins in which everything is fine, and then with one thing
 * broken at a time. Each fault has to be named, with what fixes it, and nothing else may be.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";

import { http, HttpResponse, passthrough, type HttpResponseResolver } from "msw";
import { SMTPServer } from "smtp-server";
import { parse } from "smol-toml";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import type { Machine } from "../../scripts/doctor/context";
import { runScript } from "../support/command";
import { useLongDeadlines } from "../support/long-deadlines";
import { outside } from "../support/outside";
import { isNightly } from "../support/nightly";
import { measureWaiting } from "../support/waiting-time";
import { createWorld, EMAIL_HOOK_SECRET } from "../support/world";

const APP = "https://dashboard.test";
const LIVE_KEY = "rk_live_0123456789abcdef";
const TEST_KEY = "rk_test_0123456789abcdef";
const GOOGLE_KEY = "AIzaSyA0123456789abcdefghijklmnopqrstuv";
const WEBHOOK = `${APP}/webhooks/stripe`;

const world = await createWorld({
  appUrl: APP,
  stripe: true,
  emailHook: true,
  env: { TRUSTED_IP_HEADER: "X-Forwarded-For", GOOGLE_MAPS_API_KEY: GOOGLE_KEY },
});
const { sdk, account } = world.stripe;
const { log } = await import("~/http/log.server");
const { recordRun } = await import("~/integrations/supabase/scheduled-runs.server");
const { examine } = await import("../../scripts/doctor/examine");
const { writeReport } = await import("../../scripts/doctor/report");
const { NEEDED_SETTINGS } = await import("../../scripts/doctor/project-settings");
const { readMachine } = await import("../../scripts/doctor/machine");
const { setUpStripe, STRIPE_EVENTS } = await import("~/modules/billing/stripe-setup.server");

const GB = 1024 ** 3;
const healthy: Machine = {
  nodeVersion: "22.21.1",
  minNodeVersion: "20.19.0",
  disk: { freeBytes: 20 * GB, totalBytes: 50 * GB },
};

type Changes = Record<string, string | undefined>;

/** The installation as the doctor is told of it: with a live key, at Stripe itself. */
const configured = (changes: Changes = {}): Changes => ({
  ...process.env,
  STRIPE_SECRET_KEY: LIVE_KEY,
  STRIPE_API_URL: undefined,
  ...changes,
});

async function diagnose(
  changes: Changes = {},
  { emailTo = null as string | null, machine = healthy } = {},
) {
  const source = configured(changes);
  const { text, isWell } = writeReport(await examine(source, { emailTo, machine }), source);
  const lines = text.split("\n");
  const marked = (mark: string) =>
    lines.filter((line) => line.startsWith(`  ${mark} `)).map((line) => line.slice(4));
  return { text, isWell, wrong: marked("✗"), byHand: marked("?"), fine: marked("✓") };
}

/** Expects this one line to be wrong, with what it means and what fixes it, and nothing besides. */
async function expectFault(expected: RegExp, fix: RegExp, ...given: Parameters<typeof diagnose>) {
  const { text, isWell, wrong } = await diagnose(...given);
  expect(wrong, text).toEqual([expect.stringMatching(expected)]);
  expect(isWell).toBe(false);
  expect(/ {6}Effect: (.+)\n {6}Fix: {4}(.+)/.exec(text)?.[2], text).toMatch(fix);
  for (const secret of [LIVE_KEY, GOOGLE_KEY, world.supabase.secretKey, EMAIL_HOOK_SECRET])
    expect(text).not.toContain(secret);
  return text;
}

/** The app behind its public address, as a proxy passes requests on. */
const throughProxy: HttpResponseResolver = async ({ request }) => {
  const { pathname } = new URL(request.url);
  const headers = Object.fromEntries(request.headers);
  const visitor = world.anonymous();
  const answer =
    request.method === "GET"
      ? await visitor.get(pathname, { headers })
      : await visitor.post(pathname, undefined, {
          body: await request.text(),
          headers,
          origin: null,
          secFetchSite: null,
        });
  return new HttpResponse(answer.body, { status: answer.status, headers: answer.headers });
};

/** Stripe, which is the stand-in with a live key. */
const stripeItself: HttpResponseResolver = async ({ request }) => {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers(request.headers);
  if ([LIVE_KEY, TEST_KEY].some((key) => headers.get("Authorization") === `Bearer ${key}`))
    headers.set("Authorization", `Bearer ${world.stripe.secretKey}`);
  const body = request.method === "GET" ? null : await request.text();
  const answer = await fetch(`${world.stripe.url}${pathname}${search}`, {
    method: request.method,
    headers,
    body,
  });
  return new HttpResponse(await answer.text(), {
    status: answer.status,
    headers: answer.headers,
  });
};

/** How Google refuses a request, with a reason or without. */
const refusalOf = (status: string, ...reasons: string[]) => ({
  error: {
    status,
    message: `consumer ${GOOGLE_KEY}`,
    details: reasons.map((reason) => ({ reason })),
  },
});

beforeEach(() => {
  // A busy machine is no fault of the installation.
  useLongDeadlines();
  // The requests with which the doctor tries the hook are refused, and the log says so.
  vi.spyOn(log(), "child").mockReturnValue(log() as never);
  vi.spyOn(log(), "error").mockImplementation(() => undefined);
  outside.use(
    http.all(`${APP}/*`, throughProxy),
    http.all("http://dashboard.test/*", () => HttpResponse.redirect(APP, 301)),
    http.all("https://api.stripe.com/*", stripeItself),
    http.get("https://www.weather.gov/", () => HttpResponse.html("<h1>Weather</h1>")),
    http.post("https://places.googleapis.com/*", () => HttpResponse.json({ suggestions: [] })),
    http.post("https://routes.googleapis.com/*", () =>
      HttpResponse.json(refusalOf("PERMISSION_DENIED", "API_KEY_SERVICE_BLOCKED"), { status: 403 }),
    ),
  );
});

// The stand-in for PostgREST learns of the functions at its first call, in which several calls collide.
beforeAll(async () => {
  await world.admin();
  for (const name of ["emails:send", "erase-due", "billing:reconcile"] as const)
    await recordRun(name);
  await fetch(`${world.supabase.url}/rest/v1/categories?limit=1`, {
    headers: { apikey: world.supabase.publishableKey },
  });
});

const supabase = (path: string, resolver: HttpResponseResolver) =>
  outside.use(http.all(`${world.supabase.url}${path}`, resolver));

/** An answer of the running app, changed on its way. */
const changed =
  (change: (headers: Headers) => void): HttpResponseResolver =>
  async (info) => {
    const answer = (await throughProxy(info)) as Response;
    const headers = new Headers(answer.headers);
    change(headers);
    return new HttpResponse(await answer.text(), { status: answer.status, headers });
  };

describe("when everything is fine", () => {
  it("says so of each thing, names what to check by hand with its page, and changes nothing", async () => {
    const before = JSON.stringify([
      await world.sql("select count(*) from private.email_queue"),
      await world.sql("select count(*) from auth.users"),
      await world.sql("select count(*) from public.rate_limits"),
      account.store.all("event").length,
    ]);
    const mails = world.supabase.mails.length;
    const { text, isWell, wrong, fine, byHand } = await diagnose();
    expect(wrong, text).toEqual([]);
    expect(isWell).toBe(true);
    expect(text).toContain("Nothing is wrong.");
    for (const said of [
      "Every variable is there",
      "SUPABASE_PUBLISHABLE_KEY is accepted",
      "SUPABASE_SECRET_KEY is accepted",
      "migrations are installed",
      "Row level security is on for every table",
      "What is due has run in the last two days",
      "There is an admin",
      "exposes only the schema public",
      "Sign-ups are open",
      "Email addresses have to be confirmed",
      "Links lead to the dashboard",
      "The mail server 127.0.0.1:",
      "accepts what SEND_EMAIL_HOOK_SECRET signs",
      "A live key",
      "The restricted key has the permissions",
      "Price featured_monthly: $49 a month",
      "Coupon featured_first_month: $20 off once",
      "The billing portal is configured",
      "The webhook is enabled, with all events and our API version",
      "The payment events of the last three days have arrived",
      "No tax is added",
      "The key finds addresses",
      "The key is restricted: it does not open the Routes API",
      `${APP} leads to the dashboard`,
      "The security headers arrive",
      "/readyz: ready",
      "The address is encrypted",
      "The clock agrees",
      "Node 22.21.1",
      "are free on the disk",
    ])
      expect(fine.join("\n")).toContain(said);
    for (const said of [
      "hook: on",
      "Rate limits",
      "leaked-password",
      "Multi-factor",
      "emails arrive",
    ])
      expect(byHand.join("\n")).toContain(said);
    const after = JSON.stringify([
      await world.sql("select count(*) from private.email_queue"),
      await world.sql("select count(*) from auth.users"),
      await world.sql("select count(*) from public.rate_limits"),
      account.store.all("event").length,
    ]);
    expect(after).toBe(before);
    expect(world.supabase.mails).toHaveLength(mails);
  });

  it("sends a test email to the address that is given, and to no other", async () => {
    const { wrong, fine } = await diagnose({}, { emailTo: "me@example.org" });
    expect(wrong).toEqual([]);
    expect(fine.join("\n")).toContain("on its way to me@example.org");
    expect(world.supabase.mails.at(-1)).toMatchObject({
      to: "me@example.org",
      subject: "A test email",
    });
  });

  it("leaves nothing to be checked by hand in the local start, and names its mailbox", async () => {
    const url = "http://127.0.0.1:1/mailbox";
    const { wrong, byHand, fine } = await diagnose({
      LOCAL_MAILBOX_URL: url,
      STRIPE_API_URL: world.stripe.url,
      STRIPE_SECRET_KEY: world.stripe.secretKey,
      GOOGLE_MAPS_API_KEY: undefined,
    });
    expect(wrong).toEqual([]);
    expect(byHand).toEqual([expect.stringContaining("Visitors’ addresses are taken from")]);
    expect(fine).toContain(`Emails stay on this machine: ${url}`);
    expect(fine).toContain("The stand-in for Stripe on this machine: no real money");
  });

  it("knows what is not set up, and accepts Stripe’s tax once it is", async () => {
    const { wrong, fine } = await diagnose({
      GOOGLE_MAPS_API_KEY: undefined,
      STRIPE_SECRET_KEY: undefined,
      STRIPE_WEBHOOK_SECRET: undefined,
    });
    expect(wrong).toEqual([]);
    expect(fine.filter((line) => line.startsWith("Not set up"))).toHaveLength(2);
    expect((await diagnose({ STRIPE_TAX: "automatic" })).fine).toContain("Stripe Tax is set up");
  });
});

describe("a fault of the configuration", () => {
  it("1: a variable is missing: its sentence comes first, and this machine is examined all the same", async () => {
    const text = await expectFault(/^SESSION_SECRET is missing$/, /\.env\.example/, {
      SESSION_SECRET: undefined,
    });
    expect(text).toMatch(/^Configuration\n {2}✗ SESSION_SECRET is missing/);
    expect(text).toContain("Node 22.21.1");
  });

  it("2: the keys are swapped", async () => {
    const { wrong } = await diagnose({
      SUPABASE_PUBLISHABLE_KEY: world.supabase.secretKey,
      SUPABASE_SECRET_KEY: world.supabase.publishableKey,
    });
    expect(wrong).toEqual([
      expect.stringContaining("SUPABASE_PUBLISHABLE_KEY holds a secret key"),
      expect.stringContaining("SUPABASE_SECRET_KEY holds a publishable key"),
    ]);
  });

  it("3: no HTTPS", () =>
    expectFault(/^APP_URL begins with http:/, /\.env\.example/, {
      APP_URL: "http://dashboard.test",
    }));
});

describe("a fault of the Supabase project", () => {
  const rejected = () => HttpResponse.json({ message: "Invalid API key" }, { status: 401 });
  const versions = readdirSync("supabase/migrations").map((file) => file.split("_")[0]!);

  it("4: a secret key that it does not accept", () => {
    supabase("/rest/v1/rpc/return_rate_token", rejected);
    // The running dashboard still has the right one.
    outside.use(http.get(`${APP}/readyz`, () => HttpResponse.json({ status: "ready" })));
    return expectFault(
      /^SUPABASE_SECRET_KEY is not accepted by the project at 127/,
      /Copy the key/,
    );
  });

  it("5: a publishable key of another project, which the key names", () => {
    const payload = Buffer.from(JSON.stringify({ role: "anon", ref: "otherproject" }));
    supabase("/rest/v1/categories", rejected);
    outside.use(http.get(`${APP}/readyz`, () => HttpResponse.json({ status: "ready" })));
    return expectFault(
      /^SUPABASE_PUBLISHABLE_KEY is not accepted .* it is of otherproject$/,
      /Copy/,
      {
        SUPABASE_PUBLISHABLE_KEY: `eyJhbGciOiJIUzI1NiJ9.${payload.toString("base64url")}.x`,
      },
    );
  });

  it("an older key is accepted, with a line about its end", async () => {
    const payload = Buffer.from(JSON.stringify({ role: "service_role" })).toString("base64url");
    supabase("/rest/v1/rpc/return_rate_token", () => HttpResponse.json(null));
    const { fine, byHand } = await diagnose({
      SUPABASE_SECRET_KEY: `eyJhbGciOiJIUzI1NiJ9.${payload}.x`,
    });
    expect(fine).toContain("SUPABASE_SECRET_KEY is accepted");
    expect(byHand.join("\n")).toContain("SUPABASE_SECRET_KEY is one of the older keys");
  });

  it("6: it does not answer", async () => {
    supabase("/*", () => HttpResponse.error());
    const { wrong } = await diagnose();
    expect(wrong).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+ does not answer/),
      expect.stringMatching(/^The auth service at 127\.0\.0\.1:\d+ does not answer/),
      expect.stringContaining("/readyz answers 503"),
    ]);
  });

  it.each([
    ["a page", () => HttpResponse.html("<h1>Hello</h1>")],
    ["a page that isn’t there", () => HttpResponse.html("<h1>No</h1>", { status: 404 })],
    ["JSON of its own", () => HttpResponse.json({ status: "ok" })],
  ])("73: another website, which answers with %s", async (_, answer) => {
    supabase("/rest/v1/*", answer);
    const { wrong, fine } = await diagnose();
    expect(wrong[0]).toMatch(/^127\.0\.0\.1:\d+ answers \d+, but that isn’t Supabase’s answer$/);
    expect(fine.join("\n")).not.toContain("is accepted");
  });

  async function withRecord(
    change: string,
    params: unknown[],
    undo: string,
    work: () => Promise<unknown>,
  ) {
    await world.sql(change, params);
    try {
      await work();
    } finally {
      await world.sql(undo, params);
    }
  }

  it("7: migrations that it lacks", () =>
    withRecord(
      "delete from supabase_migrations.schema_migrations where version = $1",
      [versions.at(-1)],
      "insert into supabase_migrations.schema_migrations (version) values ($1)",
      async () => {
        const lacks = new RegExp(
          `older than this code: it lacks the migration ${versions.at(-1)}$`,
        );
        const { wrong, text } = await diagnose();
        expect(wrong).toEqual([
          expect.stringMatching(lacks),
          expect.stringContaining("/readyz answers 503"),
        ]);
        expect(text).toContain("Fix:    supabase db push --remote\n");
      },
    ));

  it("71: no worker", () =>
    withRecord(
      "update public.rate_limits set resets_at = resets_at - $1::interval",
      ["5 days"],
      "update public.rate_limits set resets_at = resets_at + $1::interval",
      async () => {
        const { wrong, text } = await diagnose();
        expect(wrong).toEqual(
          ["emails:send", "erase-due", "billing:reconcile"].map(
            (name) => `Nothing has run ${name} for two days`,
          ),
        );
        expect(text).toContain("Effect: Accounts aren’t deleted when they’re due.\n");
      },
    ));

  it("72: no admin", async () => {
    const admins = await world.sql("select id from public.profiles where admin");
    await world.sql("update public.profiles set admin = false");
    try {
      await expectFault(/^No account is an admin$/, /set admin = true/);
    } finally {
      for (const { id } of admins)
        await world.sql("update public.profiles set admin = true where id = $1", [id]);
    }
  });

  it("names emails that fail again and again, although the mail server answers", async () => {
    const failing = (attempts: number) =>
      world.sql(
        "insert into private.email_queue (recipient, kind, key, attempts, next_try_at) select $1, 'password-changed', 'failing:' || n, $2, now() + interval '16 minutes' from generate_series(1, 2) n",
        [owner.id, attempts],
      );
    const owner = await world.owner();
    await failing(4);
    expect((await diagnose()).text).not.toContain("tried five times");
    await world.sql("update private.email_queue set attempts = 5 where key like 'failing:%'");
    try {
      const { byHand, isWell } = await diagnose();
      expect(byHand).toContain("2 emails were tried five times or more, and not sent.");
      expect(isWell).toBe(true);
    } finally {
      await world.sql("delete from private.email_queue where key like 'failing:%'");
    }
  });

  it("75: the settings name an account that there isn’t", async () => {
    const { id } = await world.owner();
    expect((await diagnose({ JOB_PRICE_HIDDEN_USER: id })).fine).toContain(
      "JOB_PRICE_HIDDEN_USER is an account",
    );
    await expectFault(
      /^No account has the id 5eed0000-0000-4000-9000-000000000001 \(JOB_PRICE_HIDDEN_USER\)$/,
      /^Copy the id/,
      { JOB_PRICE_HIDDEN_USER: "5eed0000-0000-4000-9000-000000000001" },
    );
  });

  it("8: migrations that the code does not know", () =>
    withRecord(
      "insert into supabase_migrations.schema_migrations (version) values ($1)",
      ["29991231000000"],
      "delete from supabase_migrations.schema_migrations where version = $1",
      () => expectFault(/newer than this code, which does not know .* 29991231000000$/, /Deploy/),
    ));

  it("9: a database that has none of ours yet", async () => {
    supabase("/rest/v1/rpc/installed_migrations", () =>
      HttpResponse.json({ code: "PGRST202", message: "Could not find it" }, { status: 404 }),
    );
    await expectFault(
      /older than this code, or has none of its migrations$/,
      /^supabase db push --remote$/,
    );
  });

  it("10: a table without row level security, and a view with its owner’s rights", async () => {
    await world.sql("create table public.scratch (id int)");
    await world.sql("create view public.scratched as select * from public.scratch");
    try {
      await expectFault(
        /^Without row level security: public.scratch, public.scratched$/,
        /enable row/,
      );
    } finally {
      await world.sql("drop view public.scratched");
      await world.sql("drop table public.scratch");
    }
  });

  it("11: the schema private is exposed", () => {
    supabase("/rest/v1/settings", () =>
      HttpResponse.json({ code: "42501", message: "permission denied" }, { status: 401 }),
    );
    return expectFault(/^The schema private is exposed/, /exposed schemas/);
  });

  it("12: another schema is exposed, as older and newer versions tell it", async () => {
    for (const told of [
      {
        message: "Invalid schema: private",
        hint: "Only the following schemas are exposed: public, auth",
      },
      { message: "The schema must be one of the following: public, auth", hint: null },
    ]) {
      supabase("/rest/v1/settings", () =>
        HttpResponse.json({ code: "PGRST106", details: null, ...told }, { status: 406 }),
      );
      await expectFault(/more than the schema public: auth$/, /Expose only public/);
    }
  });
});

describe.runIf(isNightly)("a fault of the sign-in settings", () => {
  const told = async (changes: object) => {
    const answer = await fetch(`${world.supabase.url}/auth/v1/settings`);
    const settings = (await answer.json()) as { external: object };
    supabase("/auth/v1/settings", () => HttpResponse.json({ ...settings, ...changes }));
    return settings;
  };

  it("13: sign-ups are off", async () => {
    await told({ disable_signup: true });
    await expectFault(/^Sign-ups are turned off$/, /config push/);
  });

  it("14: addresses count without being confirmed", async () => {
    await told({ mailer_autoconfirm: true });
    await expectFault(/^Email addresses count without being confirmed$/, /config push/);
  });

  it("phone numbers count without being confirmed", async () => {
    await told({ phone_autoconfirm: true });
    await expectFault(/^Phone numbers count without being confirmed$/, /config push/);
  });

  it("15: sign-in by email is off", async () => {
    await told({ external: { email: false } });
    await expectFault(/^Sign-in by email is turned off$/, /config push/);
  });

  it("16: anonymous sign-ins are on; other ways to sign in are to be checked by hand", async () => {
    await told({ external: { email: true, anonymous_users: true, google: true } });
    const text = await expectFault(/^Anonymous sign-ins are turned on$/, /config push/);
    expect(text).toContain("? Other ways to sign in are on: google.");
  });

  const linksLeadTo = (leads: (asked: string) => string) =>
    supabase("/auth/v1/verify", ({ request }) =>
      HttpResponse.redirect(
        `${leads(new URL(request.url).searchParams.get("redirect_to")!)}#error=access_denied`,
        303,
      ),
    );

  it("17: the Site URL is another", () => {
    linksLeadTo((asked) => (asked.startsWith(APP) ? asked : "http://localhost:3000"));
    return expectFault(/^The Site URL is http:\/\/localhost:3000, not https:/, /site_url/);
  });

  it("18: the dashboard is not among the redirect addresses", () => {
    linksLeadTo(() => APP);
    return expectFault(/\/confirm is not among the redirect addresses$/, /Add it/);
  });

  it("19: any redirect address is allowed", () => {
    linksLeadTo((asked) => asked);
    return expectFault(/may lead to any address$/, /Remove patterns/);
  });
});

describe.runIf(isNightly)("settings that only the project’s owner may ask for", () => {
  const PROJECT = "abcdefghijklmnopqrst";
  const ACCESS_TOKEN = "sbp_0123456789abcdef0123456789abcdef01234567";
  const HOOK = `${APP}/webhooks/auth-emails`;
  /** What `supabase config push` and the steps of docs/deploy.md make of a new project. */
  const asDeployed: Record<string, unknown> = {
    site_url: APP,
    mailer_secure_email_change_enabled: true,
    mailer_otp_length: 10,
    mailer_otp_exp: 3600,
    password_min_length: 8,
    password_required_characters: null,
    password_hibp_enabled: false,
    security_update_password_require_reauthentication: false,
    mfa_totp_enroll_enabled: true,
    mfa_totp_verify_enabled: true,
    mfa_phone_enroll_enabled: false,
    mfa_phone_verify_enabled: false,
    security_sb_forwarded_for_enabled: true,
    rate_limit_token_refresh: 600,
    rate_limit_otp: 60,
    rate_limit_verify: 60,
    refresh_token_rotation_enabled: true,
    security_refresh_token_reuse_interval: 10,
    security_manual_linking_enabled: false,
    security_captcha_enabled: false,
    hook_send_email_enabled: true,
    hook_send_email_uri: HOOK,
    mailer_notifications_password_changed_enabled: false,
    smtp_host: null,
  };
  const hosted = {
    SUPABASE_URL: `https://${PROJECT}.supabase.co`,
    SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN,
  };
  const withoutHook = { ...hosted, SEND_EMAIL_HOOK_SECRET: undefined };
  const ownMailServer = {
    hook_send_email_enabled: false,
    smtp_host: "mail.example.org",
    ...Object.fromEntries(
      ["confirmation", "recovery", "email_change"].map((kind) => [
        `mailer_templates_${kind}_content`,
        readFileSync(`supabase/templates/${kind}.html`, "utf8"),
      ]),
    ),
  };

  /** The project at Supabase is the stand-in, and its Management API has these settings. */
  function project(changes: Record<string, unknown> = {}) {
    const asked: Request[] = [];
    outside.use(
      http.all(`${hosted.SUPABASE_URL}/*`, async ({ request }) => {
        const { pathname, search } = new URL(request.url);
        const body = request.method === "GET" ? null : await request.text();
        const { method, headers } = request;
        return fetch(`${world.supabase.url}${pathname}${search}`, {
          method,
          headers,
          body,
          redirect: "manual",
        });
      }),
      http.all("https://api.supabase.com/*", ({ request }) => {
        asked.push(request);
        return HttpResponse.json({ ...asDeployed, ...changes });
      }),
    );
    return asked;
  }

  it("are asked for with an access token, which is not shown, and leave nothing of them to be checked by hand", async () => {
    const asked = project();
    const { wrong, fine, byHand, text } = await diagnose(hosted);
    expect(wrong, text).toEqual([]);
    expect(fine).toContain(
      "Hook, limits, passwords, second steps, and sessions are set as they should be",
    );
    expect(byHand.join("\n")).not.toMatch(/hook|Rate limits|Multi-factor|leaked|ACCESS_TOKEN/);
    expect(text).not.toContain(ACCESS_TOKEN);
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET https://api.supabase.com/v1/projects/${PROJECT}/config/auth`,
    ]);
    expect(asked[0]!.headers.get("Authorization")).toBe(`Bearer ${ACCESS_TOKEN}`);
  });

  it("are left to be checked by hand without one, with where to get it", async () => {
    const asked = project();
    const { wrong, byHand } = await diagnose({ ...hosted, SUPABASE_ACCESS_TOKEN: undefined });
    expect(wrong).toEqual([]);
    for (const said of ["SUPABASE_ACCESS_TOKEN", "hook: on", "Rate limits", "Multi-factor"])
      expect(byHand.join("\n")).toContain(said);
    expect(asked).toEqual([]);
  });

  it("are left to be checked by hand when the token is refused, or no one answers", async () => {
    project();
    for (const [answer, reason] of [
      [() => HttpResponse.json({ message: "Unauthorized" }, { status: 401 }), /answers 401$/],
      [() => HttpResponse.error(), /does not answer/],
    ] as const) {
      outside.use(http.all("https://api.supabase.com/*", answer));
      const text = await expectFault(
        new RegExp(`^The Management API of Supabase .*${reason.source}`),
        /account\/tokens/,
        hosted,
      );
      expect(text).toContain("? Rate limits:");
      expect(text).not.toContain(ACCESS_TOKEN);
    }
  });

  it("are each named when they are another, with the page that sets them", async () => {
    const others: [name: string, value: unknown, said: string][] = [
      ["mailer_secure_email_change_enabled", false, "is off, not on"],
      ["mailer_otp_length", 6, "is 6, not 10"],
      ["mailer_otp_exp", 86400, "is 86400, not 3600"],
      ["password_min_length", 12, "is 12, not 8"],
      ["password_required_characters", "abc:123", "is abc:123, not empty"],
      ["password_hibp_enabled", true, "is on, not off"],
      ["security_update_password_require_reauthentication", true, "is on, not off"],
      ["mfa_totp_enroll_enabled", false, "is off, not on"],
      ["mfa_totp_verify_enabled", null, "is empty, not on"],
      ["mfa_phone_enroll_enabled", true, "is on, not off"],
      ["mfa_phone_verify_enabled", true, "is on, not off"],
      ["security_sb_forwarded_for_enabled", null, "is empty, not on"],
      ["rate_limit_token_refresh", 150, "is 150, not 600"],
      ["rate_limit_otp", 30, "is 30, not 60"],
      ["rate_limit_verify", 30, "is 30, not 60"],
      ["refresh_token_rotation_enabled", false, "is off, not on"],
      ["security_refresh_token_reuse_interval", 0, "is 0, not 10"],
      ["security_manual_linking_enabled", true, "is on, not off"],
    ];
    expect(NEEDED_SETTINGS.map(({ name }) => name)).toEqual(others.map(([name]) => name));
    project(Object.fromEntries(others));
    const { wrong, text } = await diagnose(hosted);
    expect(wrong).toEqual(others.map(([name, , said]) => `${name} ${said}`));
    const page = `Fix:    Set it at https://supabase.com/dashboard/project/${PROJECT}/auth/`;
    expect(text.split(page)).toHaveLength(others.length + 1);
  });

  it("need what supabase/config.toml sets", () => {
    const file = parse(readFileSync("supabase/config.toml", "utf8"));
    for (const { name, inFile, needed } of NEEDED_SETTINGS) {
      if (inFile === null) continue;
      const value = `auth.${inFile}`
        .split(".")
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], file);
      expect({ name, value }).toEqual({ name, value: needed });
    }
  });

  it.each<[string, Changes, Record<string, unknown>, RegExp, RegExp]>([
    ["the hook is off", hosted, { hook_send_email_enabled: false }, /hook is off/, /auth\/hooks/],
    [
      "the hook leads elsewhere",
      hosted,
      { hook_send_email_uri: "https://old.test/hook" },
      /leads to https:\/\/old\.test\/hook, not to https:/,
      /auth\/hooks/,
    ],
    [
      "notices that the hook refuses",
      hosted,
      { mailer_notifications_password_changed_enabled: true },
      /notices of its own: password_changed$/,
      /auth\/templates/,
    ],
    ["a hook without its secret", withoutHook, {}, /SEND_EMAIL_HOOK_SECRET is not set$/, /secret/],
    [
      "no mail server",
      withoutHook,
      { ...ownMailServer, smtp_host: "" },
      /own mail server sends the emails$/,
      /auth\/smtp/,
    ],
    [
      "a template of Supabase’s",
      withoutHook,
      { ...ownMailServer, mailer_templates_recovery_content: "{{ .ConfirmationURL }}" },
      /supabase\/templates: recovery$/,
      /config push/,
    ],
    [
      "a captcha that the dashboard does not know of",
      hosted,
      { security_captcha_enabled: true, security_captcha_provider: "hcaptcha" },
      /^The captcha is hcaptcha in Supabase, and off/,
      /CAPTCHA_PROVIDER/,
    ],
  ])("%s", async (_, config, changes, expected, fix) => {
    project(changes);
    await expectFault(expected, fix, config);
  });

  it("are fine with Supabase’s own sending, a mail server, and our templates", async () => {
    project(ownMailServer);
    expect((await diagnose(withoutHook)).wrong).toEqual([]);
  });
});

describe.runIf(isNightly)("a fault of the pages elsewhere", () => {
  const ELSEWHERE = {
    QUICK_EXIT_URL: "https://recipes.test/",
    ADMIN_TOOL_URL: "https://tool.test/apps/directory",
    SOLO_EMAIL_CHECKOUT_URL: "https://buy.test/solo",
    BLOG_FEATURE_CHECKOUT_URL: "https://buy.test/blog",
    CONTACT_URL: "mailto:hello@directory.test",
    TERMS_URL: "https://directory.test/terms",
  };
  beforeEach(() =>
    outside.use(
      ...Object.values(ELSEWHERE)
        .filter((url) => url.startsWith("https:"))
        .map((url) => http.get(url, () => HttpResponse.html("<h1>Here</h1>"))),
    ),
  );

  const titled = (variable: keyof typeof ELSEWHERE, title: string) =>
    outside.use(http.get(ELSEWHERE[variable], () => HttpResponse.html(`<title>${title}</title>`)));

  it("is none when they are there: each is shown with what it is for, so that swapped ones are seen", async () => {
    titled("TERMS_URL", "Terms\n \u001b[2J&amp; Conditions");
    const { wrong, fine, byHand, text } = await diagnose(ELSEWHERE);
    expect(wrong, text).toEqual([]);
    expect(byHand).toContain(
      "“Leave quickly” leads to https://recipes.test/. Only you can tell that it reveals nothing.",
    );
    for (const said of [
      "Admins see the team’s database tool, from https://tool.test/apps/directory",
      "The solo email is sold at https://buy.test/solo",
      "The blog feature is sold at https://buy.test/blog",
      "“Get In Touch” leads to mailto:hello@directory.test",
      "The terms of sale are at https://directory.test/terms (“Terms [2J& Conditions”)",
    ])
      expect(fine).toContain(said);
  });

  it("the two offers that are sold elsewhere are swapped, as far as their paths and titles say", async () => {
    const swapped = {
      SOLO_EMAIL_CHECKOUT_URL: ELSEWHERE.BLOG_FEATURE_CHECKOUT_URL,
      BLOG_FEATURE_CHECKOUT_URL: ELSEWHERE.SOLO_EMAIL_CHECKOUT_URL,
    };
    const fault =
      /^SOLO_EMAIL_CHECKOUT_URL and BLOG_FEATURE_CHECKOUT_URL seem to be swapped: The solo email is sold at /;
    await expectFault(fault, /^Swap/, { ...ELSEWHERE, ...swapped });
    const offers = {
      SOLO_EMAIL_CHECKOUT_URL: "https://pay.test/1",
      BLOG_FEATURE_CHECKOUT_URL: "https://pay.test/2",
    };
    const sell = (first: string, second: string) =>
      outside.use(
        http.get("https://pay.test/1", () => HttpResponse.html(`<title>${first}</title>`)),
        http.get("https://pay.test/2", () => HttpResponse.html(`<title>${second}</title>`)),
      );
    sell("Blog post", "Solo email");
    await expectFault(fault, /^Swap/, { ...ELSEWHERE, ...offers });
    sell("Solo email", "Blog post");
    expect((await diagnose({ ...ELSEWHERE, ...offers })).fine).toContain(
      "The blog feature is sold at https://pay.test/2 (“Blog post”)",
    );
    // Nothing tells: both are to be opened.
    sell("Checkout", "Blog & email offers");
    const { wrong, byHand } = await diagnose({ ...ELSEWHERE, ...offers });
    expect(wrong).toEqual([]);
    expect(byHand).toContain(
      "The solo email is sold at https://pay.test/1 (“Checkout”). Neither its path nor its title says so.",
    );
  });

  it.each([
    ["X-Frame-Options", "SAMEORIGIN"],
    ["Content-Security-Policy", "default-src *; frame-ancestors 'self' https://other.test"],
  ])(
    "a tool that can’t be embedded, as most pages say that are no tool (%s)",
    async (name, value) => {
      outside.use(
        http.get(
          ELSEWHERE.ADMIN_TOOL_URL,
          () => new HttpResponse("", { headers: { [name]: value } }),
        ),
      );
      await expectFault(/^The page at ADMIN_TOOL_URL does not let/, /QUICK_EXIT_URL\?$/, ELSEWHERE);
    },
  );

  it("a tool that lets the dashboard embed it is fine", async () => {
    outside.use(
      http.get(
        ELSEWHERE.ADMIN_TOOL_URL,
        () =>
          new HttpResponse("", {
            headers: {
              "X-Frame-Options": "DENY",
              "Content-Security-Policy": `frame-ancestors 'self' ${APP}`,
            },
          }),
      ),
    );
    expect((await diagnose(ELSEWHERE)).wrong).toEqual([]);
  });

  it("a quick exit whose site redirects to another site is wrong; one that stays on its own site is right", async () => {
    outside.use(
      http.get(ELSEWHERE.QUICK_EXIT_URL, () =>
        HttpResponse.redirect("https://recipes.test/en", 302),
      ),
    );
    expect((await diagnose(ELSEWHERE)).wrong).toEqual([]);
    outside.use(
      http.get(ELSEWHERE.QUICK_EXIT_URL, () => HttpResponse.redirect("https://news.test/", 301)),
    );
    await expectFault(/^QUICK_EXIT_URL redirects to https:\/\/news.test$/, /ends up/, ELSEWHERE);
  });

  it("a page that is gone; one that can’t be reached from here is to be checked by hand", async () => {
    outside.use(
      http.get(ELSEWHERE.BLOG_FEATURE_CHECKOUT_URL, () => new HttpResponse("", { status: 404 })),
      http.get(ELSEWHERE.TERMS_URL, () => HttpResponse.error()),
    );
    const text = await expectFault(
      /^BLOG_FEATURE_CHECKOUT_URL answers 404: https:\/\/buy.test\/blog$/,
      /Check the address/,
      ELSEWHERE,
    );
    expect(text).toContain("? The terms of sale are at https://directory.test/terms, which does");
  });
});

describe.runIf(isNightly)("a fault of emails", () => {
  it("20: the mail server is down", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => free.once("listening", resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    await expectFault(
      /^The mail server 127.0.0.1:\d+ does not answer: .*ECONNREFUSED/,
      /SMTP_URL/,
      {
        SMTP_URL: `smtp://127.0.0.1:${port}`,
      },
    );
  });

  it("21: the mail server does not accept the password, which is not shown", async () => {
    const server = new SMTPServer({
      allowInsecureAuth: true,
      disabledCommands: ["STARTTLS"],
      onAuth: (auth, _session, done) => done(new Error(`Wrong password ${auth.password}`)),
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.server.address() as AddressInfo;
    const text = await expectFault(/does not accept the user and password/, /mail provider/, {
      SMTP_URL: `smtp://user:hush-hush@127.0.0.1:${port}`,
    });
    expect(text).not.toContain("hush-hush");
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it("22: no mail server is set", () =>
    expectFault(/^SMTP_URL and MAIL_FROM are not set$/, /Set both/, {
      SMTP_URL: undefined,
      MAIL_FROM: undefined,
      SEND_EMAIL_HOOK_SECRET: undefined,
    }));

  it("23: the hook has another secret than the running dashboard", () =>
    expectFault(
      /^The running dashboard does not accept what SEND_EMAIL_HOOK_SECRET signs$/,
      /Start/,
      {
        SEND_EMAIL_HOOK_SECRET: `v1,whsec_${Buffer.alloc(32, 7).toString("base64")}`,
      },
    ));

  it("24: the hook’s secret is missing, which is right only with an SMTP server at Supabase", async () => {
    const { wrong, byHand } = await diagnose({ SEND_EMAIL_HOOK_SECRET: undefined });
    expect(wrong).toEqual([]);
    expect(byHand.join("\n")).toContain("SEND_EMAIL_HOOK_SECRET is not set");
    expect(byHand.join("\n")).toContain("SMTP: on");
    expect(byHand.join("\n")).toContain("Templates");
  });

  it("25: the proxy does not let the hook through", () => {
    outside.use(http.post(`${APP}/webhooks/*`, () => new HttpResponse("no", { status: 403 })));
    return expectFault(/\/webhooks\/auth-emails answers 403/, /Let the proxy pass/);
  });
});

describe.runIf(isNightly)("a fault of payments", () => {
  /** Breaks something in the account, and repairs it after the test. */
  async function withAccount(breakIt: () => unknown, work: () => Promise<unknown>) {
    const types = [
      "price",
      "coupon",
      "product",
      "webhook_endpoint",
      "billing_portal.configuration",
    ];
    const kept = (types as "price"[]).flatMap((type) =>
      account.store.all(type).map((one) => [type, one] as const),
    );
    await breakIt();
    try {
      await work();
    } finally {
      account.store.transaction(() => {
        for (const type of types as "price"[])
          for (const { id } of account.store.all(type)) account.store.remove(type, id);
        for (const [type, one] of kept.reverse()) account.store.put(type, one.id, one);
      });
    }
  }
  const endpointOf = () => account.store.all("webhook_endpoint")[0]!;
  const putEndpoint = (changes: object) =>
    account.store.transaction(() =>
      account.store.put("webhook_endpoint", endpointOf().id, { ...endpointOf(), ...changes }),
    );
  const priceOf = (key: string) =>
    account.store.all("price").find((one) => one.lookup_key === key)!;
  const SET_UP = /^npm run stripe:setup/;

  it("26: a test key at a public address", () =>
    expectFault(/^STRIPE_SECRET_KEY is a test key, but the address is public$/, /live one/, {
      STRIPE_SECRET_KEY: TEST_KEY,
    }));

  it("27: a key that Stripe does not accept", () =>
    expectFault(/^Stripe does not accept STRIPE_SECRET_KEY$/, /apikeys/, {
      STRIPE_SECRET_KEY: "rk_live_another",
    }));

  it("28: Stripe can’t be reached", () => {
    outside.use(http.all("https://api.stripe.com/*", () => HttpResponse.error()));
    return expectFault(/^Stripe does not answer$/, /status\.stripe\.com/);
  });

  const forbid = (method: "get" | "post", path: string) =>
    outside.use(
      http[method](`https://api.stripe.com/v1/${path}`, () =>
        HttpResponse.json(
          {
            error: {
              type: "invalid_request_error",
              message:
                "The provided key 'rk_live_*********' does not have the required permissions.",
            },
          },
          { status: 403 },
        ),
      ),
    );

  it.each([
    ["29", "Customers: Write", "post", "customers/:id"],
    ["30", "Checkout Sessions: Write", "post", "checkout/sessions/:id/expire"],
    ["31", "Charges and Refunds: Write", "post", "refunds/:id"],
    ["32", "Disputes: Read", "get", "disputes/:id"],
    ["33", "Prices: Read", "get", "prices"],
    ["63", "Events: Read", "get", "events/:id"],
  ] as const)("%s: a restricted key without “%s”", async (_, name, method, path) => {
    forbid(method, path);
    await expectFault(new RegExp(`lacks the permission “${name}”$`), /docs\/payments\.md/);
  });

  it("a key without “Webhook Endpoints: Read” is right, and leaves the webhook to be checked by hand", async () => {
    forbid("get", "webhook_endpoints");
    const { wrong, byHand } = await diagnose();
    expect(wrong).toEqual([]);
    expect(byHand.join("\n")).toContain(`has to lead to ${WEBHOOK}`);
  });

  it("34: a price is missing", () =>
    withAccount(
      () => sdk.prices.update(priceOf("featured_six_months").id, { active: false }),
      () =>
        expectFault(/^The price featured_six_months \(\$216 every 6 months\) is missing$/, SET_UP),
    ));

  it("35: a price has another amount", () =>
    withAccount(
      () =>
        account.store.transaction(() =>
          account.store.put("price", priceOf("featured_monthly").id, {
            ...priceOf("featured_monthly"),
            unit_amount: 3900,
          }),
        ),
      () =>
        expectFault(/^The price featured_monthly is \$39 a month in Stripe, but \$49 a/, SET_UP),
    ));

  it("36: a product is archived", () =>
    withAccount(
      () => sdk.products.update("job", { active: false }),
      () => expectFault(/^The product job .* is archived$/, SET_UP),
    ));

  it("37: the coupon is missing, or another", async () => {
    await sdk.coupons.del("featured_first_month");
    await expectFault(/^The coupon featured_first_month is missing$/, SET_UP);
    await sdk.coupons.create({ id: "featured_first_month", percent_off: 100, duration: "forever" });
    await expectFault(/^The coupon featured_first_month differs from ours$/, SET_UP);
    await setUpStripe(sdk, { webhookUrl: null });
    expect((await diagnose()).wrong).toEqual([]);
  });

  it("38: the coupon of jobs is missing", async () =>
    expectFault(/^The coupon team \(JOB_COUPON\) is missing$/, /coupons/, {
      JOB_COUPON_USER: (await world.owner()).id,
      JOB_COUPON: "team",
    }));

  it.each([
    ["", true],
    [" without plan changes", false],
  ])("39: the portal has no configuration%s", (which, changesPlans) =>
    withAccount(
      () => {
        const portal = account.store
          .all("billing_portal.configuration")
          .find(({ features }) => features.subscription_update.enabled === changesPlans)!;
        account.store.transaction(() =>
          account.store.put("billing_portal.configuration", portal.id, {
            ...portal,
            active: false,
          }),
        );
      },
      () =>
        expectFault(
          new RegExp(`^The billing portal doesn’t have our configuration${which}$`),
          SET_UP,
        ),
    ),
  );

  it("40: there is no webhook", () =>
    withAccount(
      () =>
        account.store.transaction(() => account.store.remove("webhook_endpoint", endpointOf().id)),
      () => expectFault(/^There is no webhook\. One should lead to https:/, SET_UP),
    ));

  it("41: the webhook leads elsewhere", () =>
    withAccount(
      () => putEndpoint({ url: "https://old.example.org/webhooks/stripe" }),
      () => expectFault(/^No webhook leads to .*There are https:\/\/old\.example\.org/, SET_UP),
    ));

  it("42: the webhook lacks an event", () =>
    withAccount(
      () => putEndpoint({ enabled_events: STRIPE_EVENTS.filter((one) => one !== "invoice.paid") }),
      () => expectFault(/^The webhook lacks events: invoice\.paid$/, SET_UP),
    ));

  it("43: the webhook is disabled", () =>
    withAccount(
      () => putEndpoint({ status: "disabled" }),
      () => expectFault(/^The webhook is disabled$/, SET_UP),
    ));

  it("70: events don’t arrive, as with a wrong STRIPE_WEBHOOK_SECRET", () => {
    const created = Math.floor(Date.now() / 1_000);
    const list = (ages: number[]) => () =>
      HttpResponse.json({
        object: "list",
        has_more: false,
        url: "/v1/events",
        data: ages.map((age, index) => ({
          id: `evt_${index}`,
          object: "event",
          created: created - age,
        })),
      });
    outside.use(http.get("https://api.stripe.com/v1/events", list([5, 3_600, 86_400])));
    return expectFault(
      /^Payment events of the last three days that haven’t arrived: 2$/,
      /400: copy/,
    );
  });

  it("44: the webhook uses another API version", () =>
    withAccount(
      () => putEndpoint({ api_version: "2020-08-27" }),
      () => expectFault(/^The webhook uses the API version 2020-08-27/, /Delete it/),
    ));

  it("45: tax is on, but not set up in Stripe", () => {
    outside.use(
      http.get("https://api.stripe.com/v1/tax/settings", () =>
        HttpResponse.json({ object: "tax.settings", status: "pending", defaults: {} }),
      ),
    );
    return expectFault(/^STRIPE_TAX is automatic, but Stripe Tax is not set up$/, /settings\/tax/, {
      STRIPE_TAX: "automatic",
    });
  });
});

describe.runIf(isNightly)("a fault of Google’s key", () => {
  it.each([
    ["46", "API_KEY_IP_ADDRESS_BLOCKED", /restricted to IP addresses/, /addresses of your servers/],
    ["47", "SERVICE_DISABLED", /Places API \(New\) is not enabled/, /Enable it/],
    ["48", "API_KEY_INVALID", /no such key exists/, /Copy it/],
    ["49", "SOMETHING_NEW", /: SOMETHING_NEW$/, /credentials/],
  ])("%s: refused for %s", async (_, reason, meaning, fix) => {
    outside.use(
      http.post("https://places.googleapis.com/*", () =>
        HttpResponse.json(refusalOf("PERMISSION_DENIED", reason), { status: 403 }),
      ),
    );
    await expectFault(meaning, fix);
  });

  const otherApi = (answer: () => Response) =>
    outside.use(http.post("https://routes.googleapis.com/directions/v2:computeRoutes", answer));

  it("74: it opens other APIs as well, which a refusal of the request itself shows", async () => {
    otherApi(() => HttpResponse.json(refusalOf("INVALID_ARGUMENT"), { status: 400 }));
    const text = await expectFault(/opens other APIs of Google too/, /^Restrict it to Places API/);
    expect(text).toContain("? Check that the key works only from your servers’ addresses.");
  });

  it.each([
    ["not enabled", () => HttpResponse.json(refusalOf("PERMISSION_DENIED", "SERVICE_DISABLED"))],
    ["refused for another reason", () => HttpResponse.json(refusalOf("INVALID_ARGUMENT", "NEW"))],
    ["not reached", () => HttpResponse.error()],
  ])("whether it does is to be checked by hand when the other API is %s", async (_, answer) => {
    otherApi(answer);
    const { wrong, byHand, fine } = await diagnose();
    expect(wrong).toEqual([]);
    expect(fine.join("\n")).not.toContain("The key is restricted");
    expect(byHand.join("\n")).toContain(
      "The key’s restrictions: to Places API (New), and to the IP",
    );
  });
});

describe("a fault of the public address", () => {
  const answer = (path: string, resolver: HttpResponseResolver) =>
    outside.use(http.get(`${APP}${path}`, resolver));

  it("50: nothing answers there", () => {
    answer("/healthz", () => HttpResponse.error());
    return expectFault(/^https:\/\/dashboard\.test does not answer/, /DNS, the proxy/);
  });

  it("51: the proxy does not reach the dashboard", () => {
    answer("/healthz", () => new HttpResponse("bad gateway", { status: 502 }));
    return expectFault(/answers 502: the proxy does not reach/, /HOST and PORT/);
  });

  it("52: another site answers", () => {
    answer("/healthz", () => HttpResponse.html("<h1>Welcome</h1>"));
    return expectFault(/answers 200, but that isn’t the dashboard’s answer/, /DNS and the proxy/);
  });

  it("53: it redirects to another address", () => {
    answer("/healthz", () => HttpResponse.redirect("https://www.dashboard.test/healthz", 301));
    return expectFault(/redirects to https:\/\/www\.dashboard\.test$/, /Set APP_URL/);
  });

  it("54: it is not ready", () => {
    answer("/readyz", () => HttpResponse.json({ status: "not ready" }, { status: 503 }));
    return expectFault(/^\/readyz answers 503: not ready$/, /admins/);
  });

  it("55: it answers without HTTPS as well", () => {
    outside.use(http.get("http://dashboard.test/*", throughProxy));
    return expectFault(/^http:\/\/dashboard\.test answers without HTTPS$/, /redirect http:/);
  });

  it("56: the proxy removes a security header", () => {
    answer(
      "/healthz",
      changed((headers) => headers.delete("Strict-Transport-Security")),
    );
    return expectFault(
      /headers get lost on the way: Strict-Transport-Security$/,
      /pass the dashboard’s headers/,
    );
  });

  it("57: the proxy lets pages be stored", () => {
    answer(
      "/healthz",
      changed((headers) => headers.set("Cache-Control", "max-age=600")),
    );
    return expectFault(/Cache-Control: no-store gets lost/, /only \/assets\//);
  });

  it("58: a proxy is not in the configuration", () =>
    expectFault(/^TRUSTED_IP_HEADER is not set/, /Set it to the header/, {
      TRUSTED_IP_HEADER: undefined,
    }));

  const minutesAhead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toUTCString();

  it("59: its clock is ten minutes ahead", () => {
    answer(
      "/healthz",
      changed((headers) => headers.set("Date", minutesAhead(10))),
    );
    return expectFault(/^The clock of dashboard\.test is 10 minutes ahead of/, /set-ntp/);
  });

  it("60: this machine’s clock is ten minutes ahead of Supabase’s", () => {
    supabase("/auth/v1/health", () =>
      HttpResponse.json({}, { headers: { Date: minutesAhead(-10) } }),
    );
    return expectFault(/^The clock of 127\.0\.0\.1:\d+ is 10 minutes behind/, /set-ntp/);
  });
});

describe.runIf(isNightly)("a fault of this machine", () => {
  it("61: its Node is too old", () =>
    expectFault(
      /^Node 20\.18\.9 is older than 20\.19\.0$/,
      /nodejs\.org/,
      {},
      {
        machine: { ...healthy, nodeVersion: "20.18.9" },
      },
    ));

  it("62: its disk is almost full", () =>
    expectFault(
      /^Only 100 MB of 50\.0 GB are free on the disk$/,
      /du -xh/,
      {},
      {
        machine: { ...healthy, disk: { freeBytes: GB / 10.24, totalBytes: 50 * GB } },
      },
    ));

  it("is read as it is", async () => {
    const { nodeVersion, minNodeVersion, disk } = await readMachine();
    expect(nodeVersion).toBe(process.versions.node);
    expect(minNodeVersion).toMatch(/^\d+\.\d+\.\d+$/);
    expect(disk!.freeBytes).toBeLessThanOrEqual(disk!.totalBytes);
  });
});

it("ends in under 15 seconds while nothing answers at all", async () => {
  vi.spyOn(AbortSignal, "timeout").mockRestore();
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const { port } = silent.address() as AddressInfo;
  outside.use(http.all(`http://127.0.0.1:${port}/*`, () => passthrough()));
  const hang: HttpResponseResolver = () => new Promise<never>(() => undefined);
  outside.use(http.all("https://*", hang));
  const { result, waitedMs } = await measureWaiting(() =>
    diagnose({
      SUPABASE_URL: `http://127.0.0.1:${port}`,
      SMTP_URL: `smtp://127.0.0.1:${port}`,
    }),
  );
  expect(waitedMs).toBeLessThan(15_000);
  expect(result.isWell).toBe(false);
  silent.close();
});

describe("the command", () => {
  const env = () => ({
    APP_URL: "http://127.0.0.1:9",
    SESSION_SECRET: "a secret for tests, of 32 and more characters",
    SUPABASE_URL: world.supabase.url,
    SUPABASE_PUBLISHABLE_KEY: world.supabase.publishableKey,
    SUPABASE_SECRET_KEY: world.supabase.secretKey,
    SMTP_URL: process.env["SMTP_URL"]!,
    MAIL_FROM: "Team <team@directory.test>",
  });

  it("prints the report, and ends with 1 when something is wrong", async () => {
    const { said, code } = await runScript("doctor", [], env());
    expect(said).toContain("  ✓ SUPABASE_SECRET_KEY is accepted");
    expect(said).toContain("  ✗ http://127.0.0.1:9 ");
    expect(said).not.toContain(world.supabase.secretKey);
    expect(code).toBe(1);
  });

  it("takes an address for a test email, and nothing else", async () => {
    const { said, code } = await runScript("doctor", ["--email", "me"], env());
    expect(said).toContain("--email is not an email address: me");
    expect(code).toBe(2);
  });
});
