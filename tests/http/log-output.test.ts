import fs, { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { configure } from "./configure";

configure({ LOG_LEVEL: "info" });
const { getLogWarning, openLogOutput } = await import("~/http/log-output.server");
const { createLog } = await import("~/http/log.server");

let folder: string;
let file: number;
const lines = () =>
  readFileSync(join(folder, "log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { msg: string }).msg);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-"));
  file = openSync(join(folder, "log"), "a");
});
afterEach(() => {
  vi.restoreAllMocks();
  closeSync(file);
  rmSync(folder, { recursive: true, force: true });
});

it.each(["ENOSPC", "EIO", "EAGAIN"])(
  "a log that can't be written (%s) neither throws nor waits, and is written later, in order",
  (code) => {
    vi.useFakeTimers();
    const { destination, failure } = openLogOutput(file);
    const log = createLog(destination);
    log.info("before");
    expect(failure()).toBeNull();

    const full = vi.spyOn(fs, "writeSync").mockImplementation(() => {
      throw Object.assign(new Error("can't write"), { code });
    });
    log.info("first");
    log.info("second");
    expect(failure()).toBe(code);
    vi.advanceTimersByTime(5_000);
    expect(lines()).toEqual(["before"]);

    full.mockRestore();
    vi.advanceTimersByTime(2_000);
    expect(failure()).toBeNull();
    expect(lines()).toEqual(["before", "first", "second"]);
    vi.useRealTimers();
  },
);

it("keeps a megabyte of lines at most while they can't be written", () => {
  const { destination } = openLogOutput(file);
  const log = createLog(destination);
  const full = vi.spyOn(fs, "writeSync").mockImplementation(() => {
    throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  });
  for (let times = 0; times < 3_000; times += 1) log.info("x".repeat(1_000));
  full.mockRestore();
  log.info("after");
  const kept = lines();
  expect(kept.length).toBeGreaterThan(500);
  expect(kept.length).toBeLessThan(1_000);
});

it("says that the process's log can't be written, while that is so", () => {
  vi.useFakeTimers();
  expect(getLogWarning()).toBeNull();
  vi.spyOn(fs, "writeSync").mockImplementation(() => {
    throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  });
  createLog().info("lost");
  expect(getLogWarning()).toContain("The log can't be written (ENOSPC)");
  // What waits is written, to nothing.
  vi.mocked(fs.writeSync).mockImplementation((_file, text) => String(text).length);
  vi.advanceTimersByTime(2_000);
  expect(getLogWarning()).toBeNull();
  vi.useRealTimers();
});
