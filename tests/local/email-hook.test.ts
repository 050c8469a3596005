/** How the stand-in's auth service answers when the app does not take an email, as the hosted one does. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { makeKeys } from "../../local/keys.mjs";

import { makeProject, startServices, type Services } from "./project";

const project = makeProject();
let services: Services;
let answerHook: () => Promise<Response>;

beforeAll(async () => {
  services = await startServices({
    project: project.folder,
    emailHook: {
      url: "http://dashboard.test/webhooks/auth-emails",
      secret: makeKeys().emailHookSecret,
      fetch: () => answerHook(),
    },
  });
});
afterAll(async () => {
  await services.stop();
  project.remove();
});

const fail = (name: string) => () => Promise.reject(Object.assign(new Error(name), { name }));

it.each([
  ["JSON", () => Response.json({}), 200, undefined],
  ["nothing", () => new Response(null, { status: 204 }), 200, undefined],
  ["a page", () => new Response("<p>"), 400, "hook_payload_invalid_content_type"],
  ["a failure", () => new Response("{}", { status: 503 }), 500, "unexpected_failure"],
  ["too late", fail("TimeoutError"), 422, "hook_timeout"],
  ["not at all", fail("TypeError"), 422, "hook_timeout_after_retry"],
])("answers a sign-up when the app answers with %s", async (what, answer, status, code) => {
  answerHook = async () => answer();
  const email = `${what.replaceAll(" ", "-").toLowerCase()}@example.test`;
  const response = await services.signUp(email);
  expect(response).toMatchObject({ status });
  expect((response.body as { error_code?: string }).error_code).toBe(code);
});
