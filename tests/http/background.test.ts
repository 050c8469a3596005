import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { configure } from "./configure";

configure({ LOG_LEVEL: "silent" });
const { runAfterResponse, settleBackgroundWork } = await import("~/http/background.server");
const { log } = await import("~/http/log.server");
const { callUpstream } = await import("~/integrations/upstream/call-upstream.server");
const { AuthServiceError } = await import("~/integrations/supabase/auth.server");

const request = new Request("https://dashboard.test/signup");

describe("work after a response", () => {
  it("begins later, and only once while it is pending, as it was asked for last", async () => {
    const done: string[] = [];
    const work = (name: string) => async () => void done.push(name);
    runAfterResponse(request, { name: "sign-up", key: "a", work: work("a") });
    runAfterResponse(request, { name: "sign-up", key: "a", work: work("a again") });
    runAfterResponse(request, { name: "sign-up", key: "b", work: work("b") });
    expect(done).toEqual([]);
    await settleBackgroundWork();
    expect(done).toEqual(["a again", "b"]);
  });

  it("is tried again when a service did not answer, and not when it refused", async () => {
    let [down, refused] = [0, 0];
    runAfterResponse(request, {
      name: "sign-up",
      key: "down",
      work: async () => {
        down += 1;
        if (down === 1) throw new AuthServiceError("unavailable", "");
      },
    });
    runAfterResponse(request, {
      name: "sign-up",
      key: "refused",
      work: async () => {
        refused += 1;
        throw new AuthServiceError("weak-password", "weak_password");
      },
    });
    await settleBackgroundWork();
    expect([down, refused]).toEqual([1, 1]);
    await expect.poll(() => down).toBe(2);
    expect(refused).toBe(1);
  });

  it("that fails says what the service said, and which call it was, and no address", async () => {
    const logged = vi.spyOn(log(), "error").mockImplementation(() => undefined);
    onTestFinished(() => logged.mockRestore());
    const fail = (key: string, error: Error, status: number) =>
      runAfterResponse(request, {
        name: "recovery",
        key,
        work: () =>
          callUpstream(
            { service: "auth", name: `supabase auth ${key}`, limitMs: 60_000 },
            async (attempt) => {
              attempt.status = status;
              throw error;
            },
          ),
      });
    const reason = "Nothing for zoe@example.test or +1 415 555 2671";
    fail("new", new AuthServiceError("unknown", "brand_new_code", 60, reason, 422), 422);
    const quoting = 'Email address "zoe \u200b@people" is invalid';
    fail("odd", new AuthServiceError("address", "email_address_invalid", 60, quoting, 400), 400);
    fail("bug", new TypeError("x is no function"), 200);
    await settleBackgroundWork();
    expect(logged.mock.calls.map(([line]) => line)).toMatchObject([
      {
        failure: "unknown",
        code: "brand_new_code",
        upstreamStatus: 422,
        reason: "Nothing for [email] or [number]",
        call: { name: "supabase auth new", status: 422 },
      },
      { failure: "address", code: "email_address_invalid", call: { name: "supabase auth odd" } },
      { failure: "unknown", reason: "x is no function" },
    ]);
    expect(JSON.stringify(logged.mock.calls)).not.toContain("zoe");
  });

  it("is tried again after the pauses of its failure, and says when", async () => {
    const logged = vi.spyOn(log(), "warn").mockImplementation(() => undefined);
    onTestFinished(() => logged.mockRestore());
    const codes = ["short", "long", "short"];
    const pauses: Record<string, number[]> = { short: [1], long: [1, 2, 3] };
    let attempts = 0;
    runAfterResponse(request, {
      name: "sign-up",
      key: "pauses",
      pausesMs: (error) => (error instanceof AuthServiceError ? pauses[error.code] : undefined),
      work: async () => {
        const code = codes[attempts];
        attempts += 1;
        if (code) throw new AuthServiceError("limited", code);
      },
    });
    await expect.poll(() => attempts).toBe(3);
    await settleBackgroundWork();
    // The third failure has no pause left.
    expect(logged.mock.calls.map(([line]) => line)).toMatchObject([
      { attempts: 1, code: "short", retryInMs: 1 },
      { attempts: 2, code: "long", retryInMs: 2 },
    ]);
    expect(attempts).toBe(3);
  });

  it("names only a call of the attempt that failed", async () => {
    const logged = vi.spyOn(log(), "error").mockImplementation(() => undefined);
    onTestFinished(() => logged.mockRestore());
    let attempts = 0;
    runAfterResponse(request, {
      name: "recovery",
      key: "twice",
      pausesMs: () => [1],
      work: async () => {
        attempts += 1;
        if (attempts > 1) throw new Error("of ours");
        await callUpstream({ service: "auth", name: "x", limitMs: 60_000 }, async () => {
          throw new AuthServiceError("unavailable", "unreachable");
        });
      },
    });
    await expect.poll(() => logged.mock.calls.length).toBe(1);
    expect(logged.mock.calls[0]![0]).toMatchObject({ attempts: 2, call: null, reason: "of ours" });
  });

  it("is refused in the response when too much of its kind is pending, and of no other", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const add = (name: string, key: string) =>
      runAfterResponse(request, { name, key, work: () => released });
    for (let count = 0; count < 500; count += 1) {
      add("sign-up", `many-${count}`);
      add("recovery", `many-${count}`);
    }
    for (const name of ["sign-up", "recovery"])
      expect(() => add(name, "one more")).toThrow("Please try again in a minute.");
    for (let count = 0; count < 100; count += 1) add("end of a session", `many-${count}`);
    release();
    await settleBackgroundWork();
    add("sign-up", "one more");
    await settleBackgroundWork();
  });
});

describe("a server that is asked to end", () => {
  it("finishes the work after its responses first, without pauses", async () => {
    const server = fileURLToPath(new URL("background-server.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", server], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, LOG_LEVEL: "info" },
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    await expect.poll(() => output).toContain("could not be done after the response yet");
    child.kill("SIGTERM");
    const status = await new Promise((resolve) => child.once("close", resolve));
    expect(status).toBe(0);
    expect(output).toContain('"work":"slow","requestId"');
    expect(output).toMatch(/"work":"slow".*"done after the response"/);
    expect(output).toMatch(/"work":"outage".*"attempts":2.*"done after the response"/);
  });
});
