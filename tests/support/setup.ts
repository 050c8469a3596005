/**
 * Runs before every test file. It fails a test in which something was written to console.error or
 * console.warn, or in which a request was sent to an unknown host.
 */
import "./react-build";
import { afterAll, afterEach, beforeAll, vi } from "vitest";

import { takeUnexpectedConsole, watchConsole } from "./console";
import { disableContextStorages, watchContextStorages } from "./context-storages";
import { connectInProcess } from "./in-process";
import { processWide } from "./process-wide";
import { endSubscriptions, watchSubscriptions } from "./subscriptions";
import { outside, takeUnhandledRequests, watchOutside } from "./outside";
import "./matchers";

// Files share a process. The app reads its environment once, when it is loaded: after a file that had one of its own, it
// is loaded anew.
const before = processWide("before", () => ({ hadOwnEnvironment: false }));
if (before.hadOwnEnvironment) vi.resetModules();
const environment = { ...process.env };

watchConsole();
watchSubscriptions();
watchContextStorages();

let disconnect: () => void;

beforeAll(() => {
  disconnect = connectInProcess(watchOutside);
});

afterEach(() => {
  // A test that fails leaves no time of its own to the next one.
  vi.useRealTimers();
  outside.resetHandlers();
  const unhandled = takeUnhandledRequests();
  const messages = takeUnexpectedConsole();
  if (unhandled.length > 0) {
    throw new Error(`There is no handler for these requests:\n${unhandled.join("\n")}`);
  }
  if (messages.length > 0) {
    throw new Error(
      `Unexpected console output (call expectConsole() if the test expects it):\n${messages.join("\n")}`,
    );
  }
});

afterAll(() => {
  disconnect();
  endSubscriptions();
  disableContextStorages();
  before.hadOwnEnvironment = Object.keys({ ...process.env, ...environment }).some(
    (name) => process.env[name] !== environment[name],
  );
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
