/** Checks of forms that could not be handled because another service failed. */
import { bypass, http } from "msw";
import { expect } from "vitest";

import type { Answer } from "../support/answer";
import { outside } from "../support/outside";

import { faults } from "./outage";

export interface Post {
  path: () => string;
  fields: Record<string, string | string[]>;
}

interface ErrorPage {
  message?: string;
  submittedForm?: { action: string; fields: [string, string][] };
}

const toPostedFields = (fields: Post["fields"]) =>
  Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));

/** Expects the submitted values and the reason: on the form's page, or on the error page, to send again. */
export function expectFormPreserved(answer: Answer, { path, fields }: Post, called: string) {
  expect(answer.status, called).toBeOneOf([429, 503]);
  expect(answer.body, called).not.toMatch(
    /db-7\.internal|127\.0\.0\.1|sb_secret|google-key|sk_test/,
  );
  const { message, submittedForm } = answer.data as ErrorPage;
  if (submittedForm) {
    expect(message, called).toMatch(
      /can’t tell whether your form was saved.*you can safely submit it again|Nothing was saved/,
    );
    expect(submittedForm.action, called).toBe(path());
    expect(submittedForm.fields, called).toEqual(toPostedFields(fields));
    return;
  }
  expect(Object.values(answer.errors).flat().join(), called).toMatch(/\w/);
  const { intent: _, ...values } = fields;
  expect(answer.kept, called).toMatchObject(values);
}

/** Loses the response to the next write to one of these URLs, by one of these methods. @returns a function that counts the lost ones */
export function loseNextResponse(
  addresses: readonly string[],
  methods: readonly ("post" | "patch" | "delete")[] = ["post", "patch", "delete"],
): () => number {
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
    outside.use(...methods.map((method) => http[method](address, lose, { once: true })));
  return () => reached;
}
