/** The built app while it is asked to end: everything that has arrived is answered, and the process ends. */
import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { projectFolder } from "../../local/project-folder";
import { freePort } from "../support/free-port";
import { HOSTED_SETTINGS } from "../support/hosted-settings";
import { isNightly } from "../support/nightly";

/** A Supabase that answers when it is told to, and counts who waits for it. */
let supabase: { url: string; waiting: () => number; answer: () => void; close: () => void };

beforeEach(async () => {
  let held: (() => void)[] | null = null;
  const server: Server = createServer((request, response) => {
    const answer = () => {
      const isRow = request.url!.includes("/categories");
      response.writeHead(isRow ? 200 : 204, { "Content-Type": "application/json" });
      response.end(isRow ? "[]" : undefined);
    };
    // The check of the keys, when the app starts, is answered at once.
    if (held) held.push(answer);
    else answer();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  supabase = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => (held ??= []).length,
    answer: () => void held?.splice(0).forEach((answer) => answer()),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
});

const children: ChildProcess[] = [];
afterEach(() => {
  supabase.close();
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function start(settings: Record<string, string> = {}) {
  const port = await freePort();
  const child = spawn(process.execPath, ["scripts/start.mjs"], {
    cwd: projectFolder,
    env: {
      ...process.env,
      NODE_ENV: "production",
      LOG_LEVEL: "info",
      PORT: String(port),
      APP_URL: `http://localhost:${port}`,
      ...HOSTED_SETTINGS,
      SUPABASE_URL: supabase.url,
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  await expect.poll(() => said, { interval: 20 }).toContain("The dashboard runs on");
  return { port, child, ended, said: () => said };
}

/** A connection that is open, over which requests can be sent. */
async function open(port: number) {
  const socket: Socket = connect(port, "127.0.0.1");
  let [received, failed] = ["", false];
  socket.setEncoding("utf8").on("data", (text: string) => (received += text));
  socket.on("error", () => (failed = true));
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  await new Promise<void>((resolve) => void socket.once("connect", () => resolve()));
  return {
    request: (path: string) =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`),
    closed,
    failed: () => failed,
    /** The statuses of the responses, and whether the last one closes the connection. */
    responses: () => ({
      statuses: [...received.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status)),
      closes: /^connection: close\r$/im.test(received),
    }),
  };
}
type Connection = Awaited<ReturnType<typeof open>>;
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

async function expectAnswered(connections: Connection[], ...answers: number[]) {
  await Promise.all(connections.map(({ closed }) => closed));
  for (const connection of connections) {
    expect(connection.failed()).toBe(false);
    expect(connection.responses().statuses.at(-1)).toBeOneOf(answers);
  }
}

describe.each(isNightly ? ["cold", "warm"] : ["warm"])(
  "a %s app that is asked to end under load",
  (state) => {
    it("answers every request on a connection that was open, and ends", async () => {
      const app = await start();
      if (state === "warm")
        for (const path of ["/login", "/readyz", "/healthz", "/login"])
          await fetch(`http://127.0.0.1:${app.port}${path}`);
      const kept = await Promise.all(times(16, () => open(app.port)));
      for (const { request } of kept) request("/healthz");
      await expect
        .poll(() => kept.map((one) => one.responses().statuses.length))
        .toEqual(kept.map(() => 1));

      supabase.waiting();
      const waiting = await Promise.all(times(16, () => open(app.port)));
      for (const { request } of waiting) request("/readyz");
      await expect.poll(() => supabase.waiting()).toBeGreaterThanOrEqual(32);
      const unused = await Promise.all(times(16, () => open(app.port)));
      app.child.kill("SIGTERM");
      // On their way when the signal arrives: on new connections, and on those kept open.
      for (const { request } of [...unused, ...kept]) request("/healthz");
      await Promise.all([...unused, ...kept].map(({ closed }) => closed));
      supabase.answer();

      // 503 on a machine that is so slow that the calls took too long.
      await expectAnswered(waiting, 200, 503);
      for (const one of waiting) expect(one.responses().closes).toBe(true);
      await expectAnswered([...unused, ...kept], 200);
      // One response before the signal, and one after it.
      for (const one of kept) expect(one.responses().statuses).toHaveLength(2);
      expect(await app.ended).toBe(0);
      expect(app.said()).not.toContain("undefined");
    });
  },
);

it.runIf(isNightly)(
  "answers what waits for a service that hangs, and ends by itself before it is killed",
  async () => {
    const app = await start({ STOP_SECONDS: "4" });
    supabase.waiting();
    const waiting = await Promise.all(times(8, () => open(app.port)));
    for (const { request } of waiting) request("/readyz");
    await expect.poll(() => supabase.waiting()).toBeGreaterThanOrEqual(16);
    app.child.kill("SIGTERM");
    await expectAnswered(waiting, 503);
    // Killed, it would end with another code.
    expect(await app.ended).toBe(0);
  },
);

it.runIf(isNightly)(
  "goes on when nothing reads its output anymore, and does not wait for connections that no one uses",
  async () => {
    const app = await start({ STOP_SECONDS: "600" });
    app.child.stdout.destroy();
    app.child.stderr.destroy();
    const answers = await Promise.all(
      times(20, () => fetch(`http://127.0.0.1:${app.port}/login`).then(({ status }) => status)),
    );
    expect(answers).toEqual(times(20, () => 200));
    expect(app.child.exitCode).toBeNull();
    const unused = await Promise.all(times(4, () => open(app.port)));
    app.child.kill("SIGTERM");
    expect(await app.ended).toBe(0);
    for (const { failed } of unused) expect(failed()).toBe(false);
  },
);
