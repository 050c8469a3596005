/**
 * Runs before every test file: a test in which something was written to console.error or
 * console.warn, or in which a request left for somewhere unknown, fails although nobody looked.
 */
import { afterAll, afterEach, beforeAll } from "vitest";

import { takeUnexpectedConsole, watchConsole } from "./console";
import { outside, takeStrayRequests, watchOutside } from "./outside";
import "./matchers";

watchConsole();

beforeAll(() => watchOutside());

afterEach(() => {
  outside.resetHandlers();
  const strays = takeStrayRequests();
  const messages = takeUnexpectedConsole();
  if (strays.length > 0) {
    throw new Error(
      `These requests left for the outside, and no handler awaits them:\n${strays.join("\n")}`,
    );
  }
  if (messages.length > 0) {
    throw new Error(
      `Unexpected console output (state it with expectConsole() if it belongs here):\n${messages.join("\n")}`,
    );
  }
});

afterAll(() => outside.close());
