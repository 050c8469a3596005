// Loaded into the built app by bench/main-thread.ts: writes for each request, as a line of JSON into the file that
// MAIN_THREAD_LOG names, the longest time in which it kept the main thread from doing anything else.
//
// That is one turn of the event loop, without its waiting. A turn took at most the time that passed in it, which is longer on
// a busy machine, and at most the CPU time of the main thread. Where the system doesn't tell that (it does on Linux), the
// CPU time of the process, which includes its other threads (compression, garbage collection). The lesser of the two is
// reported, so that it is never less than what the main thread itself took.
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, openSync, readSync } from "node:fs";
import { setImmediate } from "node:timers";

const { MAIN_THREAD_LOG } = process.env;
// The processes that start the app, and the stand-ins, load this as well.
if (MAIN_THREAD_LOG && process.argv[1]?.endsWith("serve/dist/cli.js")) measure(MAIN_THREAD_LOG);

/** @param {string} file */
function measure(file) {
  const cpuMs = openCpuClock();
  let longest = 0;
  let wall = activeMs();
  let cpu = cpuMs();

  function turn() {
    const [nextWall, nextCpu] = [activeMs(), cpuMs()];
    longest = Math.max(longest, Math.min(nextWall - wall, nextCpu - cpu));
    [wall, cpu] = [nextWall, nextCpu];
    // Not what keeps the loop turning: it waits as it would without this.
    setImmediate(turn).unref();
  }
  turn();

  subscribe("http.server.request.start", (message) => {
    const { request, response } = /** @type {any} */ (message);
    const { method, url } = request;
    longest = 0;
    // The turn in which the response ends is over by the second.
    const write = () => appendFileSync(file, `${JSON.stringify({ method, url, ms: longest })}\n`);
    response.once("close", () => setImmediate(() => setImmediate(write)));
  });
}

/** How long the event loop has been doing something. */
function activeMs() {
  return performance.eventLoopUtilization().active;
}

/** @returns a function that reads the CPU time so far */
function openCpuClock() {
  const text = Buffer.alloc(64);
  try {
    // The main thread has the id of its process. The first number is its time in nanoseconds.
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
    return () => parseInt(text.toString("latin1", 0, readSync(file, text, 0, 64, 0)), 10) / 1e6;
  } catch {
    return () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    };
  }
}
