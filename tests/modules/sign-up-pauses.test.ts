/** How long a sign-up is tried again, by what the auth service answers. */
import { http, HttpResponse } from "msw";
import { afterAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";

import { configure } from "../http/configure";
import { signUpForm } from "../support/forms";
import { outside } from "../support/outside";

const SUPABASE = "https://supabase.test";
const HOUR_MS = 60 * 60_000;

configure({ LOG_LEVEL: "silent", SUPABASE_URL: SUPABASE });
// The pauses pass at once, and are counted.
let waitedMs = 0;
vi.doMock("node:timers/promises", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  setTimeout: async (ms: number) => void (waitedMs += ms),
}));
afterAll(() => vi.doUnmock("node:timers/promises"));
const { log } = await import("~/http/log.server");
const { createAccountLater } = await import("~/modules/accounts/sign-up.server");
const { signupSchema } = await import("~/modules/accounts/schemas.server");

beforeEach(() => {
  waitedMs = 0;
});

/** How long a sign-up waits in all when the auth service always gives this answer. */
async function waitedFor(code: string, status: number): Promise<number> {
  outside.use(
    http.post(`${SUPABASE}/rest/v1/rpc/begin_sign_up`, () => HttpResponse.json("new")),
    http.post(`${SUPABASE}/rest/v1/rpc/update_sign_up`, () => HttpResponse.json(false)),
    http.post(`${SUPABASE}/rest/v1/rpc/take_account_email`, () => HttpResponse.json(true)),
    http.post(`${SUPABASE}/auth/v1/signup`, () =>
      HttpResponse.json({ code: status, error_code: code, msg: "No." }, { status }),
    ),
  );
  const gaveUp = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  onTestFinished(() => gaveUp.mockRestore());
  const values = signupSchema.parse(signUpForm({ email: "zoe@example.test", postalcode: "" }));
  createAccountLater(new Request("https://dashboard.test/signup"), values, "/signup");
  await expect.poll(() => gaveUp.mock.calls.length, { interval: 20 }).toBe(1);
  return waitedMs;
}

it("waits longer than an hour for the emails of an hour", async () => {
  expect(await waitedFor("over_email_send_rate_limit", 429)).toBeGreaterThan(HOUR_MS);
});

it.each([
  ["over_request_rate_limit", 429],
  ["unexpected_failure", 500],
])("waits two minutes at most for anything else: %s", async (code, status) => {
  expect(await waitedFor(code, status)).toBeLessThanOrEqual(120_000);
});
