import type { Server } from "node:net";
import { join } from "node:path";

import { describeDiskProblem } from "./disk-problem.mjs";
import { FolderInUse } from "./folder-lock";
import { readOrMakeKeys } from "./keys.mjs";
import type { Mail } from "./mailbox";
import { mailboxList, mailboxMail } from "./mailbox-page";
import { MigrationFailed } from "./migrations";
import { PublicPages } from "./public-pages";
import { listenForMail } from "./smtp";
import { LocalStripe } from "./stripe/local-stripe";
import { readDemoSales, recordDemoPayments, seedDemoSales } from "./stripe/demo-sales";
import { seedStripe } from "./stripe/seed";
import { startLocalSupabase } from "./supabase";

/**
 * The process beside the app that serves the stand-ins for Supabase, Stripe and a mail server, the mailbox
 * page, and the public pages of listings, on 127.0.0.1 only. `scripts/start.mjs` starts it, and receives its messages
 * over IPC; run alone (`node --import tsx local/server.ts`), it prints them as lines of JSON.
 *
 * Environment: LOCAL_DATA (folder, default .local), APP_URL, and DATABASE_URL to use a Postgres in
 * place of PGlite. The parent process passes it the ports; run alone, it takes any free ones.
 */
type Message =
  | { type: "progress"; text: string }
  | { type: "ready"; url: string; mailboxUrl: string }
  | { type: "failed"; text: string };

type PortName = "services" | "mail";

/** The listening servers that the parent process passes; without one, 0 for any free port. */
function receivePorts(): Promise<Record<PortName, Server | 0>> {
  if (!process.send) return Promise.resolve({ services: 0, mail: 0 });
  return new Promise((resolve) => {
    const received: Partial<Record<PortName, Server>> = {};
    process.on("message", ({ port }: { port: PortName }, server) => {
      received[port] = server as Server;
      const { services, mail } = received;
      if (services && mail) resolve({ services, mail });
    });
  });
}

function sendMessage(message: Message): void {
  if (process.send) {
    if (process.connected) process.send(message);
  } else {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  }
}

async function main(): Promise<void> {
  const folder = process.env.LOCAL_DATA ?? ".local";
  const databaseUrl = process.env.DATABASE_URL;
  const appUrl = process.env.APP_URL ?? "http://localhost:3000";
  const keys = readOrMakeKeys(folder);
  const { services, mail } = await receivePorts();
  let mails: readonly Mail[] = [];
  let stripe: LocalStripe | undefined = undefined;
  let directory: PublicPages | undefined = undefined;

  const supabase = await startLocalSupabase({
    engine: databaseUrl
      ? { kind: "postgres", url: databaseUrl }
      : { kind: "pglite", dataDir: join(folder, "data") },
    port: services,
    siteUrl: appUrl,
    seed: "demo",
    keys,
    emailHook: { url: `${appUrl}/webhooks/auth-emails`, secret: keys.emailHookSecret },
    ...(databaseUrl ? { mailsFile: join(folder, "mails.jsonl") } : {}),
    onProgress: (text) => sendMessage({ type: "progress", text }),
    fallback: async (request) =>
      answerMailbox(request, mails, appUrl) ??
      (await directory?.answer(request)) ??
      (await stripe?.fetch(request)),
  });
  mails = supabase.mails;
  directory = new PublicPages(supabase, appUrl);
  stripe = new LocalStripe({
    origin: supabase.url,
    secretKey: keys.stripeSecretKey,
    file: join(folder, databaseUrl ? "stripe.jsonl" : "data/stripe.jsonl"),
    ticking: true,
    appUrl,
  });
  const sql = (query: string, params?: readonly unknown[]) => supabase.sql(query, params);
  const sales = await readDemoSales(sql);
  const { account } = stripe;
  await seedStripe(stripe, {
    secretKey: keys.stripeSecretKey,
    webhook: { url: `${appUrl}/webhooks/stripe`, secret: keys.stripeWebhookSecret },
    beforeWebhooks: async () => {
      if (seedDemoSales(account, sales)) await recordDemoPayments(account, sql);
    },
  });
  const mailServer = await listenForMail(mail, supabase.mailbox);

  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await Promise.all([stripe.stop(), supabase.stop(), mailServer.close()]);
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());
  // The parent process has ended, so no one else would stop this one.
  process.on("disconnect", () => void stop());
  if (process.send && !process.connected) return stop();

  sendMessage({ type: "ready", url: supabase.url, mailboxUrl: `${supabase.url}/mailbox` });
}

function answerMailbox(
  request: Request,
  mails: readonly Mail[],
  appUrl: string,
): Response | undefined {
  const { pathname } = new URL(request.url);
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  if (pathname === "/mailbox" || pathname === "/mailbox/") return mailboxList(mails, appUrl);
  const id = /^\/mailbox\/([\w-]+)$/.exec(pathname)?.[1];
  return id === undefined ? undefined : mailboxMail(mails.find((mail) => mail.id === id));
}

try {
  await main();
} catch (problem) {
  const known = problem instanceof FolderInUse || problem instanceof MigrationFailed;
  const text = problem instanceof Error ? (known ? problem.message : problem.stack) : undefined;
  // The database's own error doesn't say that the disk is full.
  const full = known ? undefined : describeDiskProblem(problem, process.env.LOCAL_DATA ?? ".local");
  sendMessage({ type: "failed", text: full ?? text ?? String(problem) });
  process.exitCode = 1;
  if (process.connected) process.disconnect();
}
