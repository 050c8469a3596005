/** A form under which something outside failed: nothing of it is lost, and nobody is left guessing. */
import { bypass, http } from "msw";
import { expect } from "vitest";

import type { Answer } from "../support/answer";
import { outside } from "../support/outside";

import { faults } from "./outage";

export interface Post {
  path: () => string;
  fields: Record<string, string | string[]>;
}

interface Told {
  message?: string;
  resend?: { action: string; fields: [string, string][] };
}

const asSent = (fields: Post["fields"]) =>
  Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));

/** The form is still there, and so is the reason: in the page of the form, or to be sent once more from the page that answers. */
export function expectKept(answer: Answer, { path, fields }: Post, called: string) {
  expect(answer.status, called).toBeOneOf([429, 503]);
  expect(answer.body, called).not.toMatch(
    /db-7\.internal|127\.0\.0\.1|sb_secret|google-key|sk_test/,
  );
  const { message, resend } = answer.data as Told;
  if (resend) {
    expect(message, called).toMatch(
      /can’t tell whether your form was saved.*sending it again is safe|Nothing was saved/,
    );
    expect(resend.action, called).toBe(path());
    expect(resend.fields, called).toEqual(asSent(fields));
    return;
  }
  expect(Object.values(answer.errors).flat().join(), called).toMatch(/\w/);
  const { intent: _, ...kept } = fields;
  expect(answer.kept, called).toMatchObject(kept);
}

/** The next write to one of these addresses reaches the database, and its answer nobody. Gives how many did. */
export function loseNextAnswer(addresses: readonly string[]): () => number {
  let reached = 0;
  const lose = async (info: { request: Request }) => {
    const { url, method, headers } = bypass(info.request);
    await fetch(url, {
      method,
      headers,
      body: method === "DELETE" ? undefined : await info.request.clone().text(),
    });
    reached += 1;
    return faults["is cut off in the middle"]!(info as never);
  };
  for (const address of addresses)
    outside.use(
      http.post(address, lose, { once: true }),
      http.patch(address, lose, { once: true }),
      http.delete(address, lose, { once: true }),
    );
  return () => reached;
}
