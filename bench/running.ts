/**
 * What it takes to run the built app: how soon a start has its first response, how long `/readyz` takes, and whether
 * memory grows with the number of requests. `npm run bench:running`, or with `-- --requests 2000`.
 *
 * It runs the built app (`npm run build`) as `npm start` does in production, in processes of its own, over the
 * stand-in for Supabase on a real Postgres. The requests are mixed: pages with and without a session, a file, forms
 * that are saved and that are rejected, addresses that don't exist, and a download.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { request as send } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import connect from "postgres";

import { listenForMail } from "../local/smtp";
import { startLocalSupabase } from "../local/supabase";
import { freePort } from "../tests/support/free-port";
import { startPostgres } from "../tests/support/postgres";

const BUDGET = { firstResponseMs: 2_000, readyMs: 300, growthMb: 20 };
const STARTS = 5;
const READY_CHECKS = 200;
const CONCURRENT = 4;
const EMAIL = "owner@bench.test";
const PASSWORD = "correct horse 42 staples";

const { values } = parseArgs({ options: { requests: { type: "string", default: "10000" } } });
const total = Number(values.requests);
const step = total / 10;
if (!Number.isInteger(step) || step < 1) throw new Error("--requests takes a multiple of 10.");

const root = fileURLToPath(new URL("..", import.meta.url));
const [port, metricsPort] = [await freePort(), await freePort()];
const APP_URL = `http://localhost:${port}`;
const postgres = await startPostgres();
const url = await postgres.createDatabase({ name: "bench" });
const supabase = await startLocalSupabase({ engine: { kind: "postgres", url }, siteUrl: APP_URL });
const mailServer = await listenForMail(0, supabase.mailbox);
const sql = connect(url, { max: 2, onnotice: () => {} });

const env = {
  NODE_ENV: "production" as const,
  PORT: String(port),
  APP_URL,
  SESSION_SECRET: randomBytes(32).toString("hex"),
  SUPABASE_URL: supabase.url,
  SUPABASE_PUBLISHABLE_KEY: supabase.publishableKey,
  SUPABASE_SECRET_KEY: supabase.secretKey,
  SMTP_URL: mailServer.url,
  MAIL_FROM: "Team <team@bench.test>",
  METRICS_PORT: String(metricsPort),
  // Each request comes from an address of its own, so that no limit ends the run.
  TRUSTED_IP_HEADER: "X-Bench-Address",
  LOG_LEVEL: "error",
};

function startApp(): ChildProcess {
  return spawn(process.execPath, ["scripts/start.mjs"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...env },
  });
}

async function stopApp(app: ChildProcess): Promise<void> {
  if (app.exitCode !== null) return;
  const ended = new Promise((resolve) => app.once("exit", resolve));
  app.kill("SIGTERM");
  await ended;
}

interface Sent {
  fields?: Record<string, string>;
  cookie?: string;
  toPort?: number;
}
interface Received {
  ms: number;
  status: number;
  cookies: string[];
  body: string;
}

let visitors = 0;
function ask(path: string, { fields, cookie, toPort = port }: Sent = {}): Promise<Received> {
  visitors += 1;
  const body = fields && new URLSearchParams(fields).toString();
  const headers: Record<string, string> = {
    Host: `localhost:${port}`,
    Origin: APP_URL,
    "X-Bench-Address": `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`,
    ...(cookie ? { Cookie: cookie } : {}),
    ...(body === undefined
      ? {}
      : {
          "Content-Type": "application/x-www-form-urlencoded",
          "Content-Length": String(Buffer.byteLength(body)),
        }),
  };
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const method = body === undefined ? "GET" : "POST";
    const outgoing = send({ host: "127.0.0.1", port: toPort, method, path, agent: false, headers });
    outgoing.on("error", reject).on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () =>
        resolve({
          ms: performance.now() - started,
          status: response.statusCode ?? 0,
          cookies: (response.headers["set-cookie"] ?? []).map((one) => one.split(";")[0]!),
          body: text,
        }),
      );
    });
    outgoing.end(body);
  });
}

/** Milliseconds from the start of a process to its first complete page. */
async function measureStart(): Promise<{ app: ChildProcess; ms: number }> {
  const started = performance.now();
  const app = startApp();
  for (;;) {
    const answer = await ask("/login").catch(() => null);
    if (answer?.status === 200) return { app, ms: performance.now() - started };
    if (app.exitCode !== null) throw new Error("The app did not start: is it built?");
    if (performance.now() - started > 60_000) throw new Error("The app does not answer.");
    await sleep(5);
  }
}

let passed = true;
function report(what: string, value: number, unit: string, budget?: number): void {
  const isWithin = budget === undefined || value <= budget;
  if (!isWithin) passed = false;
  const verdict = budget === undefined ? "" : `${isWithin ? "✔" : "✘"} at most ${budget} ${unit}`;
  console.log(`${what.padEnd(48)}${value.toFixed(1).padStart(9)} ${unit.padEnd(4)}${verdict}`);
}

const sortedOf = (all: readonly number[]) => all.toSorted((a, b) => a - b);
const median = (all: readonly number[]) => sortedOf(all)[Math.floor(all.length / 2)]!;

/** Signs up, confirms the address, and signs in. @returns the cookies */
async function signIn(): Promise<string> {
  await sql`
    insert into auth.users (id, aud, role, email, email_confirmed_at, encrypted_password, raw_app_meta_data,
      raw_user_meta_data, created_at, updated_at)
    values (gen_random_uuid(), 'authenticated', 'authenticated', ${EMAIL}, now(),
      extensions.crypt(${PASSWORD}, extensions.gen_salt('bf', 4)), '{}', '{"full_name":"Sam"}', now(), now())`;
  const { status, cookies, body } = await ask("/login", {
    fields: { email: EMAIL, password: PASSWORD },
  });
  if (status >= 400) throw new Error(`/login answered ${status}: ${body.slice(0, 500)}`);
  return cookies.join("; ");
}

/** Resident memory of the server's process, in MB: the least of some moments without requests. */
async function readMemory(): Promise<{ resident: number; heap: number }> {
  const read = { resident: Infinity, heap: Infinity };
  for (let times = 0; times < 5; times += 1) {
    await sleep(400);
    const { body } = await ask("/metrics", { toPort: metricsPort });
    const value = (name: string) =>
      Number(new RegExp(`^${name} (\\S+)`, "m").exec(body)![1]) / 1_048_576;
    read.resident = Math.min(read.resident, value("process_resident_memory_bytes"));
    read.heap = Math.min(read.heap, value("process_heap_used_bytes"));
  }
  return read;
}

const running: ChildProcess[] = [];
process.once("exit", () => running.forEach((app) => app.kill()));
try {
  const starts: number[] = [];
  for (let times = 0; times < STARTS; times += 1) {
    const { app, ms } = await measureStart();
    running.push(app);
    starts.push(ms);
    await stopApp(app);
  }
  report(`first response of a start, median of ${STARTS}`, median(starts), "ms");
  report("first response of a start, slowest", Math.max(...starts), "ms", BUDGET.firstResponseMs);

  const { app } = await measureStart();
  running.push(app);
  // Until the tables of addresses are loaded, it is not ready.
  while ((await ask("/readyz")).status === 503) await sleep(100);
  const checks: number[] = [];
  for (let times = 0; times < READY_CHECKS; times += 1) {
    const { ms, status } = await ask("/readyz");
    if (status !== 200) throw new Error(`/readyz answered ${status}`);
    checks.push(ms);
  }
  report("/readyz, the first one", checks[0]!, "ms", BUDGET.readyMs);
  report(`/readyz, median of ${READY_CHECKS}`, median(checks), "ms");
  report(`/readyz, slowest of ${READY_CHECKS}`, Math.max(...checks), "ms", BUDGET.readyMs);

  const cookie = await signIn();
  const asset = /"(\/assets\/[^"]+\.js)"/.exec((await ask("/login")).body)![1]!;
  const account = { full_name: "Sam", email: EMAIL, phone_country: "US", phone: "", pronouns: "" };
  const mix: readonly [path: string, expected: number, sent?: Sent][] = [
    ["/", 200, { cookie }],
    ["/login", 200],
    ["/listings", 200, { cookie }],
    ["/listings/new?draft=5eed0000-0000-4000-9000-000000000000", 200, { cookie }],
    [asset, 200],
    ["/jobs", 200, { cookie }],
    ["/account", 200, { cookie }],
    ["/nowhere", 404, { cookie }],
    ["/listings/new", 400, { cookie, fields: { name: "", description: "Bread." } }],
    ["/account", 303, { cookie, fields: { ...account, postalcode: "94114" } }],
    ["/leads.csv", 200, { cookie }],
    ["/sponsor", 200, { cookie }],
    ["/privacy/my-data.json", 200, { cookie }],
    ["/admin", 403, { cookie }],
    ["/healthz", 200],
    ["/signup", 400, { fields: { email: "not an address" } }],
  ];
  let sent = 0;
  async function sendUntil(end: number): Promise<void> {
    const worker = async () => {
      while (sent < end) {
        const [path, expected, form] = mix[sent % mix.length]!;
        sent += 1;
        const { status, body } = await ask(path, form);
        if (status !== expected)
          throw new Error(`${path} answered ${status} and not ${expected}: ${body.slice(0, 300)}`);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, worker));
  }

  let first: number | undefined;
  let busyMs = 0;
  let last = 0;
  for (let end = step; end <= total; end += step) {
    const started = performance.now();
    await sendUntil(end);
    busyMs += performance.now() - started;
    const { resident, heap } = await readMemory();
    report(`resident memory after ${end} requests`, resident, "MB");
    report("  of it in use by objects", heap, "MB");
    first ??= resident;
    last = resident;
  }
  report(`requests in a second, ${CONCURRENT} at a time`, total / (busyMs / 1_000), "");
  report(`memory after ${total} requests, above ${step}`, last - first!, "MB", BUDGET.growthMb);
} finally {
  await Promise.all(running.map(stopApp));
  await sql.end({ timeout: 1 });
  await mailServer.close();
  await supabase.stop();
  await postgres.stop();
}
process.exitCode = passed ? 0 : 1;
