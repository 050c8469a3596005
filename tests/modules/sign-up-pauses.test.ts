/** How long a sign-up is tried again, by why it failed. */
import { afterAll, expect, it, vi } from "vitest";

import type * as background from "~/http/background.server";

import { configure } from "../http/configure";
import { signUpForm } from "../support/forms";

configure({ LOG_LEVEL: "silent" });
const runAfterResponse = vi.fn<typeof background.runAfterResponse>();
vi.doMock("~/http/background.server", () => ({ runAfterResponse }));
afterAll(() => vi.doUnmock("~/http/background.server"));
const { createAccountLater } = await import("~/modules/accounts/sign-up.server");
const { signupSchema } = await import("~/modules/accounts/schemas.server");
const { AuthServiceError } = await import("~/integrations/supabase/auth.server");

const HOUR_MS = 60 * 60_000;

it("waits longer than an hour for the emails of an hour, and as usual for anything else", () => {
  const values = signupSchema.parse(signUpForm({ email: "zoe@example.test" }));
  createAccountLater(new Request("https://dashboard.test/signup"), values, "/signup");
  const { pausesMs } = runAfterResponse.mock.calls[0]![1];
  const sum = (error: Error) => pausesMs?.(error)?.reduce((total, pause) => total + pause, 0);
  expect(sum(new AuthServiceError("limited", "over_email_send_rate_limit"))).toBeGreaterThan(
    HOUR_MS,
  );
  for (const error of [
    new AuthServiceError("limited", "over_request_rate_limit"),
    new AuthServiceError("unavailable", "unreachable"),
    new Error("of ours"),
  ])
    expect(sum(error)).toBeUndefined();
});
