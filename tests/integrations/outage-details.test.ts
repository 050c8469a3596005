/** What is known of a service that is out of order, although every outage comes as one answer. */
import { http, HttpResponse } from "msw";
import { expect, it } from "vitest";

import { configure } from "../http/configure";
import { outside } from "../support/outside";

configure({ LOG_LEVEL: "silent" });
const { sendRecoveryEmail } = await import("~/integrations/supabase/auth.server");
const { createServiceClient } = await import("~/integrations/supabase/clients.server");
const { unwrap } = await import("~/integrations/supabase/data.server");

const answer = (path: string, response: () => Response) =>
  outside.use(http.all(`http://127.0.0.1:9/${path}`, response));
const error = (status: number, body: object) => () => HttpResponse.json(body, { status });

it.each([
  [
    "a code that is in no list",
    error(500, { code: 500, error_code: "brand_new_code", msg: "It’s new." }),
    { code: "brand_new_code", status: 500, reason: "answered 500: It’s new." },
  ],
  [
    "a newer version of its answers",
    error(504, { code: "request_timeout", message: "Too slow" }),
    { code: "request_timeout", status: 504, reason: "answered 504: Too slow" },
  ],
  [
    "what is no code",
    error(500, { error_code: "two words", code: {}, msg: 1 }),
    { code: "unreachable", status: 500, reason: "answered 500" },
  ],
  [
    "a gateway’s page",
    () => new HttpResponse("<html></html>", { status: 502 }),
    { code: "unreachable", status: 502, reason: "answered 502" },
  ],
  ["no answer", () => HttpResponse.error(), { code: "unreachable", status: 0 }],
  [
    "a very long message",
    error(500, { msg: "x".repeat(5_000) }),
    { reason: `answered 500: ${"x".repeat(300)}` },
  ],
])("the auth service with %s is an outage, and says what it said", async (_, response, known) => {
  answer("auth/v1/recover", response);
  await expect(sendRecoveryEmail("zoe@example.test")).rejects.toMatchObject({
    failure: "unavailable",
    ...known,
  });
});

it("a refusal of the auth service has its status", async () => {
  answer("auth/v1/recover", error(422, { error_code: "otp_disabled", msg: "Off" }));
  await expect(sendRecoveryEmail("zoe@example.test")).rejects.toMatchObject({
    code: "otp_disabled",
    status: 422,
    reason: "Off",
  });
});

it("the database names its code while it is out of order", async () => {
  answer("rest/v1/places", error(503, { code: "PGRST002", message: "No schema cache" }));
  const places = await createServiceClient().from("places").select("id");
  expect(() => unwrap(places)).toThrow(
    expect.objectContaining({
      failure: "unavailable",
      code: "PGRST002",
      message: "answered 503: No schema cache",
    }),
  );
});
