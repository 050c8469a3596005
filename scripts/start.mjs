// `npm start` and, with --dev, `npm run dev`: starts the dashboard and the local services it needs.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { readOrMakeKeys } from "../local/keys.mjs";
import { removeRunningApp, storeRunningApp } from "../local/running.mjs";
import { isBuilt, NOT_BUILT, warnIfOutdated } from "./build-state.mjs";
import { describeDiskProblem } from "../local/disk-problem.mjs";
import "./leave-with-npm.mjs";
import { describeHalfSetUp, isProduction, loadEnvFile, namesProject } from "./production.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
loadEnvFile();

const dev = process.argv.includes("--dev");
const port = Number(process.env.PORT || 3000);
const host = process.env.HOST || "127.0.0.1";
// The app alone, over the project that the environment names.
const hosted = dev ? namesProject() : isProduction();

const dataFolder = process.env.LOCAL_DATA ?? join(root, ".local");

// Without this, the heap grows to more than three times what is in use before it is collected, and never shrinks
// again: npm run bench:running.
const MEMORY = dev
  ? []
  : ["--heap-growing-percent=20", "--max-semi-space-size=4", "--optimize-for-size"];

const START_TIMEOUT_MS = 120_000;
// In total. The app stops first, since it needs the services to answer its last requests, and is told how
// long it has: it ends by itself before that.
const STOP_MS = Number(process.env.STOP_SECONDS || 10) * 1_000;
const SERVICES_STOP_MS = 1_500;
const APP_STOP_MS = STOP_MS - (hosted ? 0 : SERVICES_STOP_MS);
// The port of the Supabase CLI. While it is free, the mailbox always has the same URL.
const PREFERRED_SERVICES_PORT = 54321;

/** @type {Map<"app" | "services", import("node:child_process").ChildProcess>} */
const children = new Map();
let stopping = false;

// When our output can't be written (its disk is full, or nothing reads it anymore), what we would print is lost, and
// the dashboard goes on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

process.on("SIGINT", () => void stop(0));
process.on("SIGTERM", () => void stop(0));
process.on("SIGHUP", () => void stop(0));

await main().catch((problem) => {
  const known = describeDiskProblem(problem, dataFolder);
  if (!known) throw problem;
  fail(known);
});

async function main() {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    return fail(`PORT is "${process.env.PORT}", which is not a port number.`);
  }
  if (!existsSync("node_modules/@remix-run/serve")) {
    return fail("The packages aren't installed yet. Run `npm ci --omit=dev`, and try again.");
  }
  const halfSetUp = hosted ? null : describeHalfSetUp();
  if (halfSetUp) return fail(halfSetUp);
  if (!dev && !isBuilt()) return fail(NOT_BUILT);
  if (!dev) warnIfOutdated();
  const problem = await portProblem(port, host);
  if (problem) return fail(problem);

  const started = Date.now();
  const appUrl = process.env.APP_URL || `http://localhost:${port}`;
  if (hosted) {
    startApp({});
    await appAnswers();
    // A line like those of the app's log, so that what reads it understands each line.
    const msg = `The dashboard runs on ${process.env.APP_URL ?? `port ${port}`}.`;
    return say(JSON.stringify({ level: 30, time: new Date().toISOString(), msg }));
  }

  const keys = readOrMakeKeys(dataFolder);
  const ports = {
    services: await listenOn(PREFERRED_SERVICES_PORT).catch(() => listenOn(0)),
    mail: await listenOn(0),
  };
  const services = `http://127.0.0.1:${portOf(ports.services)}`;
  const smtpUrl = `smtp://127.0.0.1:${portOf(ports.mail)}`;
  // The app afterwards: while it answered and they did not, a page in an open tab would say that no one can sign in.
  await startServices({ LOCAL_DATA: dataFolder, APP_URL: appUrl }, ports);
  if (stopping) return;
  // Not in the image, which is for production.
  const { SAMPLE_TESTIMONIALS } = await import("../local/sample-testimonials.mjs");
  const appEnv = {
    APP_URL: appUrl,
    SESSION_SECRET: process.env.SESSION_SECRET || keys.sessionSecret,
    SUPABASE_URL: services,
    SUPABASE_PUBLISHABLE_KEY: keys.publishableKey,
    SUPABASE_SECRET_KEY: keys.secretKey,
    LOCAL_MAILBOX_URL: `${services}/mailbox`,
    SMTP_URL: smtpUrl,
    MAIL_FROM: "Dashboard <dashboard@directory.example>",
    SEND_EMAIL_HOOK_SECRET: keys.emailHookSecret,
    STRIPE_SECRET_KEY: keys.stripeSecretKey,
    STRIPE_WEBHOOK_SECRET: keys.stripeWebhookSecret,
    STRIPE_API_URL: services,
    DIRECTORY_LISTING_URL: process.env.DIRECTORY_LISTING_URL || `${services}/places/{id}`,
    CONTACT_URL: process.env.CONTACT_URL || "mailto:hello@directory.example",
    TESTIMONIALS: process.env.TESTIMONIALS || JSON.stringify(SAMPLE_TESTIMONIALS),
    LOG_LEVEL: process.env.LOG_LEVEL || "warn",
  };
  startApp(appEnv);
  await appAnswers();
  if (stopping) return;
  storeRunningApp(dataFolder, appEnv);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  say(
    "",
    `Ready in ${seconds} s.`,
    "",
    `  Dashboard   ${appUrl}`,
    `  Directory   ${services}/places  (what anyone can see of the listings)`,
    `  Mailbox     ${services}/mailbox  (every email it sends)`,
    `  Payments    ${services}/payments  (no money moves; at the checkout, the code RAINBOW50 halves a price)`,
    "",
    "  Sign in as  owner@demo.test   an owner with listings",
    "              admin@demo.test   an admin",
    "  Password    rainbow-demo-1",
    "",
    "  Stop with Ctrl+C. `npm run reset` goes back to fresh demo data.",
    "",
  );
}

/**
 * Starts the local services (Supabase, Stripe and mail), and resolves when they are ready.
 * @param {Record<string, string>} env
 * @param {Record<string, import("node:net").Server>} ports the listening servers that they get
 * @returns {Promise<void>}
 */
function startServices(env, ports) {
  return new Promise((resolve) => {
    const child = run("services", ["--import", "tsx", "local/server.ts"], env, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      onMessage(message) {
        if (message.type === "progress") say(`${message.text} …`);
        if (message.type === "failed") fail(message.text);
        if (message.type === "ready") resolve();
      },
    });
    for (const [port, server] of Object.entries(ports))
      child.send({ port }, server, () => server.close());
  });
}

/** @param {Record<string, string>} env */
function startApp(env) {
  const remix = dev
    ? [
        "node_modules/@remix-run/dev/dist/cli.js",
        "vite:dev",
        "--port",
        `${port}`,
        "--strictPort",
        "--host",
        host,
      ]
    : ["node_modules/@remix-run/serve/dist/cli.js", "build/server/index.js"];
  run(
    "app",
    [...MEMORY, "--import", new URL("leave-with-parent.mjs", import.meta.url).href, ...remix],
    {
      PORT: `${port}`,
      HOST: host,
      MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? "2",
      NODE_ENV: dev ? "development" : "production",
      STOP_SECONDS: `${APP_STOP_MS / 1_000}`,
      ...env,
    },
    { stdio: ["ignore", "inherit", "inherit", "ipc"] },
  );
}

/**
 * @param {"app" | "services"} name
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @param {{ stdio: import("node:child_process").StdioOptions, onMessage?: (message: any) => void }}
 * options
 */
function run(name, args, env, { stdio, onMessage }) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, DO_NOT_TRACK: "1", ...env },
    stdio,
    // In its own process group: on Ctrl+C, this process decides in which order the others stop.
    detached: process.platform !== "win32",
  });
  children.set(name, child);
  if (onMessage) child.on("message", onMessage);
  child.on("exit", (code, signal) => {
    children.delete(name);
    if (stopping) return;
    const what = name === "app" ? "The dashboard" : "The local services";
    const how = signal ? `ended by ${signal}` : `ended with code ${code}`;
    fail(`${what} ${how}.`, code || 1);
  });
  return child;
}

/** Resolves when the app answers. */
async function appAnswers() {
  const address = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
  const origin = `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!stopping) {
    const answer = await fetch(`${origin}/healthz`, {
      signal: AbortSignal.timeout(START_TIMEOUT_MS),
    }).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > deadline) return fail("The dashboard does not answer.");
    await sleep(50);
  }
}

/**
 * A sentence about why a port cannot be used; undefined when it can.
 * @param {number} wanted
 * @param {string} address
 * @returns {Promise<string | undefined>}
 */
function portProblem(wanted, address) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (/** @type {NodeJS.ErrnoException} */ problem) => {
      if (problem.code === "EADDRINUSE") {
        resolve(
          `Port ${wanted} is in use by another program. Stop that one, or choose another port: ` +
            `PORT=${wanted + 1} npm start`,
        );
      } else if (problem.code === "EACCES") {
        resolve(`Port ${wanted} may not be used by this account. Choose one above 1023.`);
      } else {
        resolve(
          `HOST is "${address}", where this machine can't listen (${problem.code}). ` +
            "Use 127.0.0.1 for this machine alone, or 0.0.0.0 for all networks.",
        );
      }
    });
    probe.listen(wanted, address, () => probe.close(() => resolve(undefined)));
  });
}

/**
 * Listens on a port of this machine (0: any free one) for the process that will serve it. After a
 * mere check that the port is free, another program could take it.
 * @param {number} wanted
 * @returns {Promise<import("node:net").Server>}
 */
function listenOn(wanted) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(wanted, "127.0.0.1", () => resolve(server));
  });
}

/** @param {import("node:net").Server} server */
function portOf(server) {
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}

/**
 * Stops the app, which answers the requests it has accepted, and then the services it needs.
 * @param {number} code
 */
async function stop(code) {
  if (stopping) return;
  stopping = true;
  if (!hosted) removeRunningApp(dataFolder);
  const until = Date.now() + STOP_MS;
  await stopChild("app", APP_STOP_MS);
  // All that the app has left: a database that is killed leaves its lock, and repairs itself at the next start.
  await stopChild("services", Math.max(SERVICES_STOP_MS, until - Date.now()));
  process.exit(code);
}

/**
 * @param {"app" | "services"} name
 * @param {number} timeoutMs after which it is killed
 */
async function stopChild(name, timeoutMs) {
  const child = children.get(name);
  if (!child) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  await gone;
  clearTimeout(timer);
}

/**
 * @param {string} message
 * @param {number} code
 */
function fail(message, code = 1) {
  if (stopping) return;
  console.error(`\n${message}`);
  void stop(code);
}

/** @param {string[]} lines */
function say(...lines) {
  for (const line of lines) console.log(line);
}
