/** `npm run work`: does what is due, beside others, through an outage, and ends when it is asked to. */
import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import { http, HttpResponse } from "msw";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";

import { runScript } from "../support/command";
import { freePort } from "../support/free-port";
import { outside } from "../support/outside";
import { measureWaiting } from "../support/waiting-time";
import { createWorld } from "../support/world";

const world = await createWorld({ stripe: true });
const { log } = await import("~/http/log.server");
const { findMissedRuns } = await import("~/integrations/supabase/scheduled-runs.server");
const { onceADay } = await import("../../scripts/work/once-a-day");
const { runSchedule } = await import("../../scripts/work/run-schedule");
const { listTasks } = await import("../../scripts/work/tasks");

afterEach(() => outside.resetHandlers());

let emails = 0;
/** Queues an email that is due. */
async function queueEmail(userId: string) {
  emails += 1;
  await world.sql(
    "select private.enqueue_email($1, null, 'two-step-changed', $2, jsonb_build_object('change', 'off'))",
    [userId, `work:${emails}`],
  );
}
const mailsTo = (email: string) => world.supabase.mails.filter(({ to }) => to === email).length;

describe("work for once a day", () => {
  it("is done by one of many processes that ask at once, and by none until a day later", async () => {
    let runs = 0;
    const work = async () => (runs += 1);
    // The stand-in for PostgREST learns of the functions at its first call, in which several calls collide.
    await onceADay("first", async () => null);
    const answers = await Promise.all(Array.from({ length: 6 }, () => onceADay("many", work)));
    expect(runs).toBe(1);
    expect(answers.filter((answer) => answer !== null)).toEqual([1]);
    expect(await onceADay("many", work)).toBeNull();
    // Another process finished between the first look and the turn.
    const reached = `${world.supabase.url}/rest/v1/rpc/rate_limit_reached`;
    expect(await onceADay("raced", async () => "done")).toBe("done");
    outside.use(http.post(reached, () => HttpResponse.json(false), { once: true }));
    expect(await onceADay("raced", async () => "again")).toBeNull();

    await world.sql("update public.rate_limits set resets_at = resets_at - interval '23 hours'");
    expect(await onceADay("many", work)).toBeNull();
    await world.sql("update public.rate_limits set resets_at = now() - interval '1 second'");
    expect(await onceADay("many", work)).toBe(2);
  });

  it("is tried again after a failure, and after a process that died in the middle of it", async () => {
    const failing = onceADay("failing", () => Promise.reject(new Error("Stripe is down")));
    await expect(failing).rejects.toThrow("Stripe is down");
    expect(await onceADay("failing", async () => "done")).toBe("done");

    void onceADay("dying", () => new Promise(() => undefined));
    await expect.poll(() => onceADay("dying", async () => "too early")).toBeNull();
    await world.sql("update public.rate_limits set resets_at = now() - interval '1 second'");
    expect(await onceADay("dying", async () => "done")).toBe("done");
  });
});

it("continues after an outage of the database: what was due is done", async () => {
  vi.spyOn(log(), "warn").mockImplementation(() => undefined);
  const owner = await world.owner();
  await queueEmail(owner.id);
  const before = mailsTo(owner.email);
  outside.use(http.all(`${world.supabase.url}/*`, () => HttpResponse.error()));
  const ending = new AbortController();
  const ended = runSchedule(
    listTasks().tasks.map((task) => ({ ...task, everyMs: 50 })),
    { ending: ending.signal, log: log() },
  );
  await expect.poll(() => vi.mocked(log().warn).mock.calls.length).toBeGreaterThan(4);
  expect(mailsTo(owner.email)).toBe(before);
  outside.resetHandlers();
  await expect.poll(() => mailsTo(owner.email)).toBe(before + 1);
  ending.abort();
  expect(await ended).toEqual([]);
});

/** The variables of a process that works for this world. */
const settings = () => ({
  APP_URL: world.appUrl,
  SESSION_SECRET: "a secret for tests, of 32 and more characters",
  SUPABASE_URL: world.supabase.url,
  SUPABASE_PUBLISHABLE_KEY: world.supabase.publishableKey,
  SUPABASE_SECRET_KEY: world.supabase.secretKey,
  SMTP_URL: process.env["SMTP_URL"]!,
  MAIL_FROM: "Team <team@directory.test>",
  STRIPE_SECRET_KEY: world.stripe.secretKey,
  STRIPE_WEBHOOK_SECRET: world.stripe.webhookSecret,
  STRIPE_API_URL: world.stripe.url,
});

it.each(["erase-due", "send-emails", "billing-reconcile"])(
  "%s says which service it could not reach, or which key is not accepted",
  async (command) => {
    const host = `127.0.0.1:${await freePort()}`;
    const alone = await runScript(command, [], { ...settings(), SUPABASE_URL: `http://${host}` });
    expect(alone).toEqual({
      said: `The database at ${host} (SUPABASE_URL) isn’t responding: no connection (ECONNREFUSED).\n`,
      code: 1,
    });
    const refused = await runScript(command, [], {
      ...settings(),
      SUPABASE_SECRET_KEY: "sb_secret_wrong",
    });
    expect(refused.said).toMatch(/^SUPABASE_SECRET_KEY is not accepted by 127\.0\.0\.1:\d+: /);
  },
);

describe("the process", () => {
  const children: ChildProcess[] = [];
  afterAll(() => children.forEach((child) => child.kill("SIGKILL")));

  function start(changes: Record<string, string> = {}) {
    const { PATH = "", HOME = "" } = process.env;
    const child = spawn(process.execPath, ["--import", "tsx", "scripts/work.ts"], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH,
        HOME,
        ...settings(),
        ...changes,
      } as unknown as NodeJS.ProcessEnv,
    });
    children.push(child);
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (said += text));
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { said: () => said, stop: () => (child.kill("SIGTERM"), ended), ended };
  }

  it("does everything that is due, beside another, and logs it in JSON without addresses", async () => {
    const [owner, leaving] = [await world.owner(), await world.owner()];
    await queueEmail(owner.id);
    await world.sql(
      "insert into private.account_deletions (user_id, requested_at, due_at) values ($1, now() - interval '8 days', now() - interval '1 day')",
      [leaving.id],
    );
    await world.sql("delete from public.rate_limits");
    const before = mailsTo(owner.email);
    const workers = [start(), start()];
    const said = () => workers.map((worker) => worker.said()).join("");
    await expect.poll(() => mailsTo(owner.email)).toBe(before + 1);
    await expect.poll(() => world.row("profiles", leaving.id)).toBeUndefined();
    await expect.poll(said).toContain('"work":"reconcile"');
    // One may have done it all before the other began.
    for (const worker of workers) await expect.poll(worker.said).toContain("work begins");
    expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0]);
    const lines = said()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ work }) => work === "reconcile")).toHaveLength(1);
    expect(lines.filter(({ msg }) => msg === "work ended")).toHaveLength(2);
    expect(mailsTo(owner.email)).toBe(before + 1);
    expect(said()).not.toMatch(/@|sb_secret_/);
    expect(await findMissedRuns(["emails:send", "erase-due", "billing:reconcile"])).toEqual([]);
  });

  it("ends within ten seconds while the database does not answer, and says what it abandoned", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as AddressInfo;
    const worker = start({ SUPABASE_URL: `http://127.0.0.1:${port}` });
    await expect.poll(worker.said).toContain("work begins");
    const { result: code, waitedMs } = await measureWaiting(() => worker.stop());
    expect(code).toBe(0);
    expect(waitedMs).toBeLessThan(10_000);
    expect(worker.said()).toContain("work ended");
    silent.close();
  });

  it("does not start without a configuration, and names what it leaves out", async () => {
    const refused = start({ SUPABASE_URL: `${world.supabase.url}/rest/v1` });
    expect(await refused.ended).toBe(1);
    expect(refused.said()).toContain("SUPABASE_URL has a path");

    const less = start({
      SMTP_URL: "",
      MAIL_FROM: "",
      STRIPE_SECRET_KEY: "",
      STRIPE_WEBHOOK_SECRET: "",
    });
    await expect.poll(less.said).toContain("work begins");
    expect(less.said()).toContain("no email is sent: SMTP_URL and MAIL_FROM are not set");
    expect(less.said()).toContain("no payment is compared: STRIPE_SECRET_KEY is not set");
    expect(await less.stop()).toBe(0);
  });
});
