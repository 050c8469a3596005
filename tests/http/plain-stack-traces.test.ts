import { expect, it, onTestFinished } from "vitest";

import { plainStackTraces } from "~/http/plain-stack-traces.server";

it("no stack trace is written by what the server has installed", () => {
  const installed = Object.getOwnPropertyDescriptor(Error, "prepareStackTrace");
  onTestFinished(() => {
    if (installed) Object.defineProperty(Error, "prepareStackTrace", installed);
  });
  Error.prepareStackTrace = () => "mapped";
  expect(new Error("one").stack).toBe("mapped");

  plainStackTraces();

  expect(new Error("one").stack).toMatch(/^Error: one\n +at /);
});
