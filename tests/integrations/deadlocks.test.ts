/** What becomes of a call that Postgres ended, because it and another one waited for each other. */
import { http, HttpResponse } from "msw";
import { expect, it } from "vitest";

import { configure } from "../http/configure";
import { outside } from "../support/outside";

configure({ LOG_LEVEL: "silent" });
const { createServiceClient } = await import("~/integrations/supabase/clients.server");
const { unwrap } = await import("~/integrations/supabase/data.server");

/** Answers calls of a function of the database with these, one after the other, and keeps what was sent. */
function answerInTurn(...answers: Response[]): unknown[] {
  const sent: unknown[] = [];
  outside.use(
    http.post("http://127.0.0.1:9/rest/v1/rpc/undo_decisions", async ({ request }) => {
      sent.push(await request.json());
      return answers[sent.length - 1]!;
    }),
  );
  return sent;
}
const error = (status: number, code: string) =>
  HttpResponse.json({ code, message: code }, { status });
const call = () => createServiceClient().rpc("undo_decisions", { batch: "b1" });

it("is made again, as it was", async () => {
  const sent = answerInTurn(error(500, "40P01"), HttpResponse.json({ done: 1 }));
  expect(unwrap(await call())).toEqual({ done: 1 });
  expect(sent).toEqual([{ batch: "b1" }, { batch: "b1" }]);
});

it("is made again once, and is unavailable then", async () => {
  const sent = answerInTurn(error(500, "40P01"), error(500, "40P01"), HttpResponse.json({}));
  const answer = await call();
  expect(() => unwrap(answer)).toThrow(
    expect.objectContaining({ failure: "unavailable", code: "40P01" }),
  );
  expect(sent).toHaveLength(2);
});

it.each([
  ["has timed out", error(500, "57014")],
  ["was refused", error(400, "P0001")],
  ["may have happened", HttpResponse.error()],
])("is not made again when it %s", async (_, failure) => {
  const sent = answerInTurn(failure, HttpResponse.json({}));
  expect((await call()).error).not.toBeNull();
  expect(sent).toHaveLength(1);
});
