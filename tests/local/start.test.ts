import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, afterEach, describe, expect, it } from "vitest";

import { projectFolder } from "../../local/project-folder";
import { freePort as findFreePort } from "../support/free-port";
import { HOSTED_SETTINGS } from "../support/hosted-settings";
import { isNightly } from "../support/nightly";
import { startPostgres } from "../support/postgres";

const folder = mkdtempSync(join(tmpdir(), "start-"));
const data = join(folder, "data");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Runs a script as a user does, with only the given configuration. */
function run(args: string[], env: Record<string, string> = {}) {
  const bare = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(SUPABASE_|APP_|SESSION_|DATABASE_URL|PORT$|HOST$|SMTP_URL|MAIL_FROM|STRIPE_|SEND_EMAIL|NODE_ENV$|VITEST|LOG_LEVEL)/.test(
          name,
        ),
    ),
  );
  const child = spawn(process.execPath, args, {
    cwd: projectFolder,
    // Without NODE_ENV, which the types require: no one sets it before `npm start`.
    env: { ...bare, LOCAL_DATA: folder, ...env } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let said = "";
  let logged = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  child.stdout.on("data", (text: string) => (logged += text));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    child,
    ended,
    said: () => said,
    /** What it wrote to standard output. */
    logged: () => logged,
    async until(text: string) {
      while (!said.includes(text)) {
        if (child.exitCode !== null) throw new Error(`It ended early, saying: ${said}`);
        await sleep(20);
      }
    },
  };
}

function occupy(): Promise<{ port: number; server: Server }> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () =>
      resolve({ port: (server.address() as AddressInfo).port, server }),
    );
  });
}

const freePort = async () => String(await findFreePort());

/** Whether a URL stops answering within a time. */
async function isSilent(url: string, within = 120_000): Promise<boolean> {
  const deadline = Date.now() + within;
  while (Date.now() < deadline) {
    const answers = await fetch(url).then(
      () => true,
      () => false,
    );
    if (!answers) return true;
    await sleep(100);
  }
  return false;
}

describe("npm start", () => {
  it("reports a port that is in use", async () => {
    const { port, server } = await occupy();
    const start = run(["scripts/start.mjs"], { PORT: String(port) });
    expect(await start.ended).toBe(1);
    expect(start.said()).toContain(`Port ${port} is in use by another program.`);
    server.close();
  });

  it("refuses an invalid port", async () => {
    const start = run(["scripts/start.mjs"], { PORT: "http" });
    expect(await start.ended).toBe(1);
    expect(start.said()).toContain('PORT is "http", which is not a port number.');
  });

  it("serves, refuses a reset meanwhile, and leaves no process behind", async () => {
    const port = await freePort();
    // Nothing is killed on a slow machine.
    const start = run(["scripts/start.mjs"], { PORT: port, STOP_SECONDS: "60" });
    await start.until("Stop with Ctrl+C");
    const [mailbox = ""] = /http:\/\/127\.0\.0\.1:\d+\/mailbox/.exec(start.said()) ?? [];
    expect(start.said()).toContain(`http://localhost:${port}`);
    expect(start.said()).toContain("owner@demo.test");
    expect((await fetch(`http://127.0.0.1:${port}/login`)).status).toBe(200);
    expect((await fetch(mailbox)).status).toBe(200);
    const [directory = ""] = /http:\/\/127\.0\.0\.1:\d+\/places/.exec(start.said()) ?? [];
    expect(await (await fetch(directory)).text()).toContain("Fern &amp; Flour Bakery");
    expect(existsSync(join(data, "database", "PG_VERSION"))).toBe(true);

    const reset = run(["scripts/reset.mjs"]);
    expect(await reset.ended).toBe(1);
    expect(reset.said()).toMatch(/The dashboard is running .* Nothing was removed/);

    const notices = run(["--import", "tsx", "scripts/send-emails.ts"]);
    expect(await notices.ended).toBe(0);
    expect(notices.said()).toBe("0 sent, 0 not sent\n");

    start.child.kill("SIGTERM");
    expect(await start.ended).toBe(0);
    expect(await isSilent(`http://127.0.0.1:${port}/healthz`)).toBe(true);
    expect(await isSilent(mailbox)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(["data", "keys.json"]);

    const late = run(["--import", "tsx", "scripts/send-emails.ts"]);
    expect(await late.ended).toBe(1);
    expect(late.said()).toContain("no dashboard runs here");
  });

  it.runIf(isNightly)("leaves no process behind when it is killed", async () => {
    const port = await freePort();
    const start = run(["scripts/start.mjs"], { PORT: port });
    await start.until("Stop with Ctrl+C");
    const [mailbox = ""] = /http:\/\/127\.0\.0\.1:\d+\/mailbox/.exec(start.said()) ?? [];
    start.child.kill("SIGKILL");
    expect(await isSilent(mailbox)).toBe(true);
    expect(await isSilent(`http://127.0.0.1:${port}/healthz`)).toBe(true);
    // It stops answering before it has closed its database.
    await expect.poll(() => existsSync(`${data}.lock`)).toBe(false);
  });

  it("starts no local services when a hosted project is named, and reports what is missing", async () => {
    const start = run(["scripts/start.mjs"], {
      PORT: await freePort(),
      SUPABASE_URL: "http://127.0.0.1:9",
      LOCAL_DATA: join(folder, "unused"),
    });
    expect(await start.ended).toBe(1);
    for (const name of [
      "SUPABASE_PUBLISHABLE_KEY",
      "SUPABASE_SECRET_KEY",
      "SESSION_SECRET",
      "APP_URL",
    ]) {
      expect(start.said()).toContain(`${name} is missing`);
    }
    expect(existsSync(join(folder, "unused"))).toBe(false);
  });

  it("opens no demo, with its known passwords, on a site that is half set up, and reports what is missing", async () => {
    for (const half of [
      {
        APP_URL: "https://dashboard.example.org",
        SESSION_SECRET: "a secret for tests, of 32 and more characters",
      },
      { STRIPE_SECRET_KEY: "rk_live_0123456789", STRIPE_WEBHOOK_SECRET: "whsec_x" },
      { SMTP_URL: "smtp://mail.example.org", MAIL_FROM: "a@b.example" },
    ] as Record<string, string>[]) {
      const start = run(["scripts/start.mjs"], {
        PORT: await freePort(),
        ...half,
        LOCAL_DATA: join(folder, "unused"),
      });
      expect(await start.ended).toBe(1);
      for (const name of ["SUPABASE_URL", "SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY"])
        expect(start.said()).toContain(`- ${name}`);
      expect(start.said().includes("- SESSION_SECRET")).toBe(!("SESSION_SECRET" in half));
      expect(start.said()).not.toContain("0123456789");
      expect(existsSync(join(folder, "unused"))).toBe(false);
    }
  });
});

it("logs one line for each request to a hosted start, with its route and calls, and nothing that was sent", async () => {
  const port = await freePort();
  const start = run(["scripts/start.mjs"], {
    PORT: port,
    APP_URL: `http://localhost:${port}`,
    ...HOSTED_SETTINGS,
  });
  await start.until("The dashboard runs on");
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", ...init });
  for (const path of [
    "/login?email=sam@example.org",
    "/admin/users?email=sam%40example.org",
    "/admin/users.data?name=Sam",
    "/?sam@example.org",
  ])
    await request(path);
  await request("/login?email=sam@example.org&index", {
    method: "POST",
    headers: { Origin: `http://localhost:${port}` },
    body: new URLSearchParams({ email: "sam@example.org", password: "sam's secret" }),
  });
  const brokenOff = connect(Number(port), "127.0.0.1");
  brokenOff.write(
    `POST /login?sam=broken-off HTTP/1.1\r\nHost: localhost:${port}\r\nOrigin: http://localhost:${port}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nemail=`,
  );
  await sleep(300);
  brokenOff.destroy();
  const lines = () =>
    start
      .said()
      .split("\n")
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  // The start itself has asked /healthz, as a proxy does all the time: that has no line.
  await expect.poll(() => lines()).toHaveLength(6);
  expect(lines().map(({ method, route, status }) => `${method} ${route} ${status}`)).toEqual([
    "GET /login 200",
    "GET /admin/users 302",
    "GET /admin/users 202",
    "GET / 302",
    "POST /login 503",
    "POST /login 499",
  ]);
  for (const line of lines())
    expect(line).toMatchObject({
      time: expect.stringMatching(/^\d{4}-/) as string,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      ms: expect.any(Number) as number,
      user: "anonymous",
      calls: expect.any(Array) as unknown[],
    });
  expect(lines()[4]!["calls"]).toContainEqual({
    name: "supabase auth token",
    count: 1,
    status: 0,
    ms: expect.any(Number) as number,
  });
  // The line about the failure: the call, and what the page said.
  const failed = start
    .said()
    .split("\n")
    .find((line) => line.includes('"msg":"outside service unavailable"'));
  expect(JSON.parse(failed!)).toMatchObject({
    requestId: lines()[4]!["requestId"],
    route: "/login",
    status: 503,
    call: { status: 0 },
    shown: expect.stringMatching(/\w/) as string,
  });
  // All of it is JSON, as jq needs it.
  for (const line of start.logged().trimEnd().split("\n"))
    expect(JSON.parse(line)).toMatchObject({ time: expect.any(String) as string });
  expect(start.said()).not.toMatch(/sam/i);
  start.child.kill("SIGTERM");
  expect(await start.ended).toBe(0);
});

describe("npm run reset", () => {
  it("removes the data and keeps the keys", async () => {
    expect(existsSync(data)).toBe(true);
    const reset = run(["scripts/reset.mjs"]);
    expect(await reset.ended).toBe(0);
    expect(reset.said()).toContain("begins with fresh demo data");
    expect(readdirSync(folder)).toEqual(["keys.json"]);
    const again = run(["scripts/reset.mjs"]);
    expect(await again.ended).toBe(0);
    expect(again.said()).toContain("There was no local data");
  });
});

describe("the local services", () => {
  // The journeys do so, too.
  it.runIf(isNightly)("run on a Postgres that DATABASE_URL names, with the demo data", async () => {
    const postgres = await startPostgres({ inMemory: true });
    try {
      const services = run(["--import", "tsx", "local/server.ts"], {
        DATABASE_URL: await postgres.createDatabase(),
      });
      await services.until('"type":"ready"');
      const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(services.said()) ?? [];
      const { publishableKey } = (await import("../../local/keys.mjs")).readOrMakeKeys(folder);
      const signedIn = await fetch(`${url}/auth/v1/token?grant_type=password`, {
        method: "POST",
        headers: { apikey: publishableKey, "Content-Type": "application/json" },
        body: JSON.stringify({ email: "owner@demo.test", password: "rainbow-demo-1" }),
      });
      expect(signedIn.status).toBe(200);
      expect((await fetch(`${url}/mailbox`)).status).toBe(200);
      services.child.kill("SIGTERM");
      expect(await services.ended).toBe(0);
    } finally {
      await postgres.stop();
    }
  });
});
