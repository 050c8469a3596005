/** Matchers for an Answer. */
import { expect } from "vitest";

import type { Answer } from "./answer";

interface AnswerMatchers<R = unknown> {
  /** Redirects to this path of the site. */
  toRedirectTo(path: string): R;
  /** Redirects to /login, and from there back to this page. */
  toAskForSignIn(): R;
  /** Rejects a form (with 400 unless stated) with this message, at the field when one is given. */
  toBeRefusedWith(message: string | RegExp, where?: { field?: string; status?: number }): R;
  /** 403. */
  toBeForbidden(): R;
  /** 404. */
  toBeNotFound(): R;
  toHaveStatus(status: number): R;
  /** Makes at most this many calls to Supabase one after the other; parallel calls count once. */
  toTakeAtMostSequentialCalls(most: number): R;
  /** The text of the page contains this. */
  toSay(words: string): R;
}

declare module "vitest" {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any, @typescript-eslint/no-empty-object-type -- as Vitest declares it
  interface Matchers<T = any> extends AnswerMatchers<T> {}
}

function report(pass: boolean, not: boolean, answer: Answer, expected: string) {
  return {
    pass,
    message: () =>
      `Expected ${answer.asked} ${not ? "not " : ""}${expected}, and it ${summary(answer)}.`,
  };
}

function summary(answer: Answer): string {
  if (answer.location !== null) return `redirected (${answer.status}) to ${answer.location}`;
  const errors = Object.entries(answer.errors);
  if (errors.length > 0) {
    return `answered ${answer.status} with ${errors.map(([name, said]) => `${name || "the form"}: ${said.join(" ")}`).join("; ")}`;
  }
  return `answered ${answer.status}: ${(answer.title ?? answer.body).slice(0, 300)}`;
}

expect.extend({
  toRedirectTo(answer: Answer, path: string) {
    const pass = answer.status >= 300 && answer.status < 400 && answer.location === path;
    return report(pass, this.isNot, answer, `to redirect to ${path}`);
  },

  toAskForSignIn(answer: Answer) {
    const path = answer.asked.replace(/^\w+ /, "");
    const wanted = `/login?redirectTo=${encodeURIComponent(path)}`;
    return report(
      [302, 303].includes(answer.status) && answer.location === wanted,
      this.isNot,
      answer,
      `to redirect to ${wanted}`,
    );
  },

  toBeRefusedWith(
    answer: Answer,
    message: string | RegExp,
    where: { field?: string; status?: number } = {},
  ) {
    const { field, status = 400 } = where;
    const said =
      field === undefined ? Object.values(answer.errors).flat() : (answer.errors[field] ?? []);
    const matches = (one: string) =>
      typeof message === "string" ? one === message : message.test(one);
    const pass = answer.status === status && said.some(matches);
    return report(
      pass,
      this.isNot,
      answer,
      `to refuse (${status})${field === undefined ? "" : ` ${field}`} with ${String(message)}`,
    );
  },

  toBeForbidden(answer: Answer) {
    return report(answer.status === 403, this.isNot, answer, "to be forbidden (403)");
  },

  toBeNotFound(answer: Answer) {
    return report(answer.status === 404, this.isNot, answer, "to find nothing (404)");
  },

  toHaveStatus(answer: Answer, status: number) {
    return report(answer.status === status, this.isNot, answer, `to answer ${status}`);
  },

  toTakeAtMostSequentialCalls(answer: Answer, most: number) {
    const { rounds } = answer;
    return {
      pass: rounds.length <= most,
      message: () =>
        `Expected ${answer.asked} to wait for Supabase at most ${most} times in a row. It asked:\n${rounds.map((round, index) => `${index + 1}. ${round}`).join("\n")}`,
    };
  },

  toSay(answer: Answer, words: string) {
    return {
      pass: answer.text.includes(words),
      message: () =>
        `Expected ${answer.asked} ${this.isNot ? "not " : ""}to say "${words}". It says:\n${answer.text}`,
    };
  },
});
