/** Each limit says in words how long to wait, and in Retry-After. */
import { http, HttpResponse } from "msw";
import { afterEach, describe, expect, it } from "vitest";

import { outside } from "../support/outside";
import { accountForm, jobForm, listingForm, sponsorshipForm } from "../support/forms";
import type { Answer } from "../support/answer";
import type { Person } from "../support/person";
import { createWorld } from "../support/world";

const world = await createWorld();
const { readStoredTokens } = await import("~/http/session.server");
const { createUserClient } = await import("~/integrations/supabase/clients.server");
const LINK = { intent: "openLink", token_hash: "a".repeat(56) };

const attempts: [string, (person: Person) => Promise<Answer>][] = [
  ["POST /login", (p) => p.submit("/login", { email: "kai@example.test", password: "guess" })],
  ["POST /recovery", (p) => p.submit("/recovery", { email: "kai@example.test" })],
  ["POST /recovery/new", (p) => p.submit("/recovery/new", LINK)],
  ["POST /confirm", (p) => p.submit("/confirm", { ...LINK, type: "email" })],
  [
    "POST /signup",
    (p) =>
      p.submit("/signup", {
        email: "kai@example.test",
        password: "correct horse 42 staples",
        full_name: "Kai",
      }),
  ],
  ["GET /listings?token=", (p) => p.page("/listings?token=abc.def.ghi")],
];

/** The answer to one attempt more than a limit allows. */
async function exceed(person: Person, attempt: (person: Person) => Promise<Answer>) {
  await attempt(person);
  await world.sql("update public.rate_limits set hits = 1000000");
  return attempt(person);
}

function expectWait(answer: Answer) {
  expect(answer).toHaveStatus(429);
  expect(answer.text).toMatch(/Please wait (a minute|\d+ minutes) and try again\./);
  expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
}

afterEach(() => world.sql("delete from public.rate_limits"));

describe("a limit of ours", () => {
  it.each(attempts)("%s", async (_, attempt) => {
    expectWait(await exceed(world.anonymous(), attempt));
  });
});

describe("a link that was sent to someone", () => {
  it.each(["/confirm", "/recovery/new"])(
    "works at %s after any number of wrong ones from the same network",
    async (path) => {
      const person = world.anonymous();
      const email = `kai${path.length}@example.test`;
      await person.post("/signup", {
        email,
        password: "correct horse 42 staples",
        full_name: "Kai",
      });
      if (path !== "/confirm") await person.post("/recovery", { email });
      const { token } = world.mail(email);
      await exceed(person, (p) => p.post(path, { ...LINK, type: "email" }));
      const answer = await person.post(path, { ...LINK, token_hash: token, type: "email" });
      expect(answer).toRedirectTo(path === "/confirm" ? "/" : "/recovery/new");
      expect(await person.post(path, { ...LINK, token_hash: token })).toHaveStatus(429);
    },
  );

  it("works from the app, too", async () => {
    const owner = await world.owner();
    const { accessToken } = (await readStoredTokens(
      new Request(world.appUrl, { headers: { Cookie: owner.cookies.header()! } }),
    ))!;
    const db = createUserClient(accessToken);
    const code = await db.rpc("issue_handoff_code");
    await exceed(owner, (p) => p.page("/listings?token=abc.def.ghi"));
    expect(await owner.get(`/listings?token=${code.data as string}`)).toRedirectTo("/listings");
  });

  it("is not used up by images and frames of another site", async () => {
    const visitor = world.anonymous();
    for (const destination of ["image", "iframe", "empty"])
      for (let i = 0; i < 30; i++)
        expect(
          await visitor.get("/listings?token=abc.def.ghi", {
            headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": destination },
          }),
        ).toRedirectTo("/listings");
    const link = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document" };
    const opened = await visitor.get("/listings?token=abc.def.ghi", { headers: link });
    expect(opened).toRedirectTo("/listings");
    expect(await visitor.page("/login")).toSay("That link has expired");
  });
});

describe("a limit of the auth service", () => {
  const limited = (message: string) =>
    http.all(`${world.supabase.url}/auth/v1/*`, () =>
      HttpResponse.json(
        { code: 429, error_code: "over_request_rate_limit", msg: message },
        { status: 429 },
      ),
    );

  it("passes on the time to wait where the service says it", async () => {
    outside.use(limited("For security purposes, you can only request this after 93 seconds."));
    const answer = await world
      .anonymous()
      .submit("/login", { email: "kai@example.test", password: "guess" });
    expectWait(answer);
    expect(answer.headers.get("Retry-After")).toBe("93");
    expect(answer).toSay("Please wait 2 minutes and try again.");
  });

  it("says a minute where it does not", async () => {
    const owner = await world.owner();
    outside.use(
      http.put(`${world.supabase.url}/auth/v1/user`, () =>
        HttpResponse.json(
          { code: 429, error_code: "over_request_rate_limit", msg: "Request rate limit reached" },
          { status: 429 },
        ),
      ),
    );
    const answer = await owner.submit(
      "/account",
      accountForm({ email: "new@example.test", current_password: owner.password }),
    );
    expectWait(answer);
    expect(answer.headers.get("Retry-After")).toBe("60");
    expect(answer).toSay("Everything else is saved");
  });
});

/** Takes all that a limit of the database allows in a day. */
const useUp = (bucket: string, most: number) =>
  world.sql("select private.enforce_limit('x', $1, $2, 86400) from generate_series(1, $2::int)", [
    bucket,
    most,
  ]);

describe("a hundred new ones a day", () => {
  it.each([
    ["listing", "/listings/new", listingForm({ name: "Café X" }), "Café X"],
    ["job", "/jobs/new", jobForm({ title: "Baker", intent: "later" }), "Baker"],
    ["order", "/sponsor/new", { promo_text: "Come in" }, "Come in"],
  ])("are refused in words, with all that was typed: %s", async (what, path, form, typed) => {
    const owner = await world.owner();
    const counted = what === "order" ? "sponsorship" : what;
    await useUp(`new ${counted} by ${owner.id}`, 100);
    const fields =
      what === "order"
        ? sponsorshipForm(await world.listing({ owner }), { ...form, sponsorship_dates: [] })
        : form;
    const answer = await owner.submit(path, fields);
    expect(answer).toHaveStatus(400);
    expect(answer.text).toMatch(
      /You’ve reached the daily limit for new \w+\. Please wait 24 hours and try again\./,
    );
    expect(answer.body).toContain(typed);
  });
});

describe("a limit on what adds emails or records for one account is explained in words", () => {
  async function ownerAtLimit(bucket: string) {
    const owner = await world.owner();
    await useUp(`${bucket} ${owner.id}`, 20);
    return owner;
  }

  it("to delete the account", async () => {
    const owner = await ownerAtLimit("deletion request by");
    expect(
      await owner.post("/privacy/delete", { intent: "delete", current_password: owner.password }),
    ).toRedirectTo("/privacy");
    expect(await owner.page("/privacy")).toSay(
      "You’ve reached the daily limit for requests to delete your account. Please wait 24 hours and try again.",
    );
  });

  it.each([
    ["/account", accountForm({ full_name: "Kai Typed", opted_in: "on" }), "Kai Typed"],
    ["/privacy/tracking", { tracking: "yes", return_to: "/privacy" }, ""],
  ])("for choices at %s, with what was typed", async (path, form, typed) => {
    const owner = await ownerAtLimit("consent by");
    const answer = await owner.submit(path, { ...form, email: owner.email });
    expect(answer).toHaveStatus(429);
    expect(answer).toSay(
      "You’ve reached the daily limit for changes to your privacy choices. Please wait 24 hours and try again.",
    );
    expect(answer.body).toContain(typed);
  });
});
