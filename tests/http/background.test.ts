import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { configure } from "./configure";

configure({ LOG_LEVEL: "silent" });
const { runAfterResponse, settleBackgroundWork } = await import("~/http/background.server");
const { AuthServiceError } = await import("~/integrations/supabase/auth.server");

const request = new Request("https://dashboard.test/signup");

describe("work after a response", () => {
  it("begins later, and is not begun twice while it is pending", async () => {
    const done: string[] = [];
    const work = (name: string) => async () => void done.push(name);
    runAfterResponse(request, { name: "sign-up", key: "a", work: work("a") });
    runAfterResponse(request, { name: "sign-up", key: "a", work: work("a again") });
    runAfterResponse(request, { name: "sign-up", key: "b", work: work("b") });
    expect(done).toEqual([]);
    await settleBackgroundWork();
    expect(done).toEqual(["a", "b"]);
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
