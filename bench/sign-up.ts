/**
 * Whether the time until the response reveals that an address has an account, at sign-up and at
 * recovery: 200 pairs of a known and an unknown address, alternating in order. `npm run bench:sign-up`
 *
 * It runs the built app (`npm run build`) in a process of its own, over a real Postgres, and sends
 * forms over HTTP as a text browser does. Passwords are hashed as slowly as in production. The next
 * request is sent once the work after the response is done. The last lines are about an attacker who
 * does not wait: the sign-in page, requested right after each response.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { request as send } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import connect from "postgres";

import { listenForMail } from "../local/smtp";
import { startLocalSupabase } from "../local/supabase";
import { freePort } from "../tests/support/free-port";
import { startPostgres } from "../tests/support/postgres";

const PAIRS = 200;
const WARM_UP = 30;
const [LOWEST, HIGHEST] = [0.9, 1.1];

const port = await freePort();
const APP_URL = `http://localhost:${port}`;
const postgres = await startPostgres();
const url = await postgres.createDatabase({ name: "bench" });
const supabase = await startLocalSupabase({ engine: { kind: "postgres", url }, siteUrl: APP_URL });
const mailServer = await listenForMail(0, supabase.mailbox);
const sql = connect(url, { max: 2, onnotice: () => {} });

const root = fileURLToPath(new URL("..", import.meta.url));
const app = spawn(
  process.execPath,
  ["node_modules/@remix-run/serve/dist/cli.js", "build/server/index.js"],
  {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      NODE_ENV: "production",
      PORT: String(port),
      APP_URL,
      SESSION_SECRET: randomBytes(32).toString("hex"),
      SUPABASE_URL: supabase.url,
      SUPABASE_PUBLISHABLE_KEY: supabase.publishableKey,
      SUPABASE_SECRET_KEY: supabase.secretKey,
      SMTP_URL: mailServer.url,
      MAIL_FROM: "Team <team@bench.test>",
      // Each request comes from an address of its own, so that no limit ends the run.
      TRUSTED_IP_HEADER: "X-Bench-Address",
      LOG_LEVEL: "info",
    },
  },
);
process.once("exit", () => app.kill());
/** How often the app has logged that work after a response was done. */
let workDone = 0;
createInterface({ input: app.stdout }).on("line", (line) => {
  if (line.includes("done after the response")) workDone += 1;
});

let visitors = 0;
/** One request. @returns the milliseconds until the response is complete, and its status */
function measure(path: string, fields?: Record<string, string>) {
  visitors += 1;
  const body = fields && new URLSearchParams(fields).toString();
  return new Promise<{ ms: number; status: number }>((resolve, reject) => {
    const started = performance.now();
    const outgoing = send(`${APP_URL}${path}`, {
      method: body === undefined ? "GET" : "POST",
      agent: false,
      headers: {
        Origin: APP_URL,
        "X-Bench-Address": `10.${visitors >> 16}.${(visitors >> 8) & 255}.${visitors & 255}`,
        ...(body === undefined
          ? {}
          : {
              "Content-Type": "application/x-www-form-urlencoded",
              "Content-Length": String(Buffer.byteLength(body)),
            }),
      },
    });
    outgoing.on("error", reject).on("response", (response) => {
      response.resume().on("end", () => {
        resolve({ ms: performance.now() - started, status: response.statusCode ?? 0 });
      });
    });
    outgoing.end(body);
  });
}

/** Waits until the work after the last response is done, and everything is quiet. */
async function workAfter(before: number) {
  const deadline = Date.now() + 30_000;
  while (workDone <= before) {
    if (Date.now() > deadline) throw new Error("No work was done after a response.");
    await sleep(2);
  }
  await sleep(15);
}

const forms: Record<string, (email: string) => Record<string, string>> = {
  "/signup": (email) => ({
    email,
    password: "correct horse 42 staples",
    full_name: "Sam Rivera",
    phone_country: "US",
    postalcode: "94114",
    opted_in: "on",
  }),
  "/recovery": (email) => ({ email, redirectTo: "/" }),
};

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

let passed = true;
/** The verdict is about the ratio in the median pair, since its two requests were sent together. */
function report(what: string, known: number[], unknown: number[], limited: boolean) {
  const [k, u] = [median(known), median(unknown)];
  const ratio = median(known.map((ms, pair) => ms / unknown[pair]!));
  const verdict = !limited ? "" : ratio >= LOWEST && ratio <= HIGHEST ? "✔" : "✘";
  if (verdict === "✘") passed = false;
  console.log(
    `${what.padEnd(34)}${k.toFixed(2).padStart(9)} ms${u.toFixed(2).padStart(9)} ms${ratio.toFixed(3).padStart(9)} ${verdict}`,
  );
}

try {
  for (let tries = 0; ; tries += 1) {
    const answer = await measure("/healthz").catch(() => null);
    if (answer?.status === 200) break;
    if (tries > 300) throw new Error("The app did not start.");
    await sleep(100);
  }
  await sql`
    insert into auth.users (id, email, email_confirmed_at)
    select gen_random_uuid(), 'known-' || n || '@bench.test', now() from generate_series(1, ${4 * (PAIRS + WARM_UP)}::int) n`;
  console.log(`${PAIRS} pairs, medians\n`);
  console.log(
    `${"".padEnd(34)}${"known".padStart(12)}${"unknown".padStart(12)}${"ratio".padStart(9)}`,
  );
  let addresses = 0;
  for (const [path, form] of Object.entries(forms)) {
    const found = { known: [] as number[], unknown: [] as number[] };
    const next = { known: [] as number[], unknown: [] as number[] };
    for (const waits of [true, false]) {
      for (let pair = -WARM_UP; pair < PAIRS; pair += 1) {
        const order =
          pair % 2 === 0 ? (["known", "unknown"] as const) : (["unknown", "known"] as const);
        addresses += 1;
        for (const kind of order) {
          const before = workDone;
          const answer = await measure(path, form(`${kind}-${addresses}@bench.test`));
          if (answer.status >= 400) throw new Error(`${path} answered ${answer.status}`);
          if (waits && pair >= 0) found[kind].push(answer.ms);
          if (!waits) {
            const page = await measure("/login");
            if (pair >= 0) next[kind].push(page.ms);
          }
          await workAfter(before);
        }
      }
    }
    report(`POST ${path}`, found.known, found.unknown, true);
    report("  the next page, at once", next.known, next.unknown, false);
  }
} finally {
  app.kill();
  await sql.end({ timeout: 1 });
  await mailServer.close();
  await supabase.stop();
  await postgres.stop();
}
process.exitCode = passed ? 0 : 1;
