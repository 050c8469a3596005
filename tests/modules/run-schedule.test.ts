import { Writable } from "node:stream";

import pino from "pino";
import { beforeEach, describe, expect, it } from "vitest";

import { DataError } from "~/integrations/supabase/data.server";

import { runSchedule, type Task } from "../../scripts/work/run-schedule";
import { configure } from "../http/configure";

configure();

let lines: Record<string, unknown>[] = [];
beforeEach(() => void (lines = []));
const log = pino(
  { level: "info" },
  new Writable({
    write(line: Buffer, _, done) {
      lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
      done();
    },
  }),
);

/** Runs tasks until `ending` is aborted, usually by one of them. */
const run = (tasks: Task[], ending: AbortController, finishMs?: number) =>
  runSchedule(tasks, { ending: ending.signal, log, ...(finishMs ? { finishMs } : {}) });

describe("the schedule of `npm run work`", () => {
  it("repeats each task, and logs what was done and not that there was nothing to do", async () => {
    const ending = new AbortController();
    let runs = 0;
    const task: Task = {
      name: "emails",
      everyMs: 1,
      async run() {
        runs += 1;
        if (runs === 3) ending.abort();
        return runs === 2 ? { sent: 5 } : null;
      },
    };
    expect(await run([task], ending)).toEqual([]);
    expect(runs).toBe(3);
    expect(lines).toEqual([expect.objectContaining({ work: "emails", sent: 5, msg: "work done" })]);
  });

  it("survives failures, logs them without addresses, and keeps the other tasks running", async () => {
    const ending = new AbortController();
    let [failures, others] = [0, 0];
    const failing: Task = {
      name: "failing",
      everyMs: 1,
      async run() {
        failures += 1;
        if (failures === 1) throw new DataError("unavailable", "no answer", "");
        if (failures === 2) throw new Error("not for sam@example.org");
        return { done: 1 };
      },
    };
    const other: Task = {
      name: "other",
      everyMs: 1,
      async run() {
        others += 1;
        if (others > 3 && failures > 3) ending.abort();
        return null;
      },
    };
    await run([failing, other], ending);
    expect(lines[0]).toMatchObject({ level: 40, work: "failing", failure: "unavailable" });
    expect(lines[1]).toMatchObject({ level: 50, work: "failing", failure: "unknown" });
    expect(lines[2]).toMatchObject({ work: "failing", done: 1 });
    expect(JSON.stringify(lines)).not.toContain("sam@");
  });

  it("lets a task finish what it has begun, and names one that does not finish in time", async () => {
    const ending = new AbortController();
    let finished = false;
    const slow: Task = {
      name: "slow",
      everyMs: 1,
      run: (signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () =>
            setTimeout(() => {
              finished = true;
              resolve(null);
            }, 20),
          );
        }),
    };
    const endless: Task = { name: "endless", everyMs: 1, run: () => new Promise(() => undefined) };
    setTimeout(() => ending.abort(), 5);
    expect(await run([slow], ending)).toEqual([]);
    expect(finished).toBe(true);

    const again = new AbortController();
    again.abort();
    const late = new AbortController();
    setTimeout(() => late.abort(), 5);
    expect(await run([endless], late, 30)).toEqual(["endless"]);
    expect(await run([endless], again)).toEqual([]);
  });
});
