import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import SDK, { type Stripe } from "stripe";
import { afterAll, afterEach, describe, expect, it } from "vitest";

import { FolderInUse } from "../../local/folder-lock";
import { listenOnLoopback } from "../../local/listener";
import { moveClock } from "../../local/stripe/passing-time";
import { seedStripe } from "../../local/stripe/seed";
import { LocalStripe } from "../../local/stripe/stripe";
import { addressOf } from "../support/stripe";

const folder = mkdtempSync(join(tmpdir(), "stripe-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const secretKey = "sk_test_kept_0123456789abcdef";
const webhook = { url: "http://127.0.0.1:1/webhooks", secret: "whsec_0123456789abcdef" };
let file = "";
let files = 0;
afterEach(() => (files += 1));
const newFile = (): string => (file = join(folder, `stripe-${files}.jsonl`));

const open: LocalStripe[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((one) => one.stop()))));
/** One on the file, reached without the network. */
function start(): LocalStripe {
  const stripe = new LocalStripe({
    origin: "http://127.0.0.1:9",
    secretKey,
    file,
    send: async () => ({ status: 200, words: "" }),
  });
  open.push(stripe);
  return stripe;
}
async function ask<T>(
  stripe: LocalStripe,
  path: string,
  body?: Record<string, string>,
  key?: string,
): Promise<T> {
  const response = await stripe.fetch(
    new Request(`http://127.0.0.1:9/v1/${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${secretKey}`, ...(key ? { "idempotency-key": key } : {}) },
      ...(body ? { body: new URLSearchParams(body) } : {}),
    }),
  );
  expect(response!.status, await response!.clone().text()).toBe(200);
  return (await response!.json()) as T;
}

describe("what the stand-in for Stripe keeps", () => {
  it("is there after a restart: objects, keys, events, its clock", async () => {
    newFile();
    const first = start();
    await seedStripe(first, { secretKey, webhook });
    const made = await ask<Stripe.Customer>(
      first,
      "customers",
      { email: "a@example.test" },
      "key-1",
    );
    await ask(first, `customers/${made.id}`, { email: "b@example.test" });
    moveClock(first.account, 5 * 3_600_000);
    await first.settled();
    const events = await ask<Stripe.ApiList<Stripe.Event>>(first, "events?limit=100");
    await first.stop();

    const second = start();
    expect(await ask(second, `customers/${made.id}`)).toMatchObject({ email: "b@example.test" });
    expect(
      (await ask<Stripe.Customer>(second, "customers", { email: "a@example.test" }, "key-1")).id,
    ).toBe(made.id);
    expect(await ask(second, "events?limit=100")).toEqual(events);
    expect(second.account.settings.aheadMs).toBeGreaterThanOrEqual(5 * 3_600_000);
  });

  it("follows the app to another address without a second endpoint", async () => {
    newFile();
    const first = start();
    await seedStripe(first, { secretKey, webhook });
    await seedStripe(first, {
      secretKey,
      webhook: { ...webhook, url: "http://localhost:4000/webhooks/stripe" },
    });
    expect(first.account.store.all("webhook_endpoint").map(({ url }) => url)).toEqual([
      "http://localhost:4000/webhooks/stripe",
    ]);
  });

  it("goes on with what was under way: a webhook that was not taken", async () => {
    newFile();
    const first = new LocalStripe({
      origin: "http://127.0.0.1:9",
      secretKey,
      file,
      send: async () => ({ status: 503, words: "" }),
    });
    await ask(first, "webhook_endpoints", {
      url: webhook.url,
      "enabled_events[0]": "customer.created",
    });
    await ask(first, "customers", {});
    await first.settled();
    await first.stop();
    const second = start();
    moveClock(second.account, 5_000);
    await second.settled();
    expect(
      second.account.store.all("delivery").map(({ state, attempts }) => [state, attempts.length]),
    ).toEqual([["taken", 2]]);
  });

  it("survives a change that was half written, and says so when more is damaged", async () => {
    newFile();
    const first = start();
    const made = await ask<Stripe.Customer>(first, "customers", { email: "a@example.test" });
    await first.stop();
    appendFileSync(file, `[["customer","cus_half",{"id":"cus_ha`);
    const second = start();
    expect(second.account.store.all("customer").map(({ id }) => id)).toEqual([made.id]);
    await second.stop();
    writeFileSync(file, `nonsense\n${readFileSync(file, "utf8")}`);
    expect(() => start()).toThrow(/damaged in line 1/);
  });

  it("is written by one process at a time", () => {
    newFile();
    start();
    expect(() => start()).toThrow(FolderInUse);
  });

  it("is for its owner's eyes alone", async () => {
    newFile();
    await ask(start(), "customers", {});
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

const processFile = fileURLToPath(new URL("stripe-process.ts", import.meta.url));
const begun: ChildProcess[] = [];
afterAll(() => {
  for (const child of begun) child.kill("SIGKILL");
});
async function startProcess(): Promise<{ child: ChildProcess; sdk: Stripe }> {
  const child = spawn(process.execPath, ["--import", "tsx", processFile, file, secretKey], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  begun.push(child);
  const [words] = (await once(child.stdout, "data")) as [Buffer];
  return {
    child,
    sdk: new SDK(secretKey, {
      ...addressOf(words.toString().trim()),
      telemetry: false,
      maxNetworkRetries: 0,
    }),
  };
}

it("loses nothing that it has answered when it is killed while it writes", async () => {
  newFile();
  const answered: string[] = [];
  for (let life = 0; life < 2; life += 1) {
    const { child, sdk } = await startProcess();
    const work = async (): Promise<void> => {
      for (;;)
        answered.push(
          (await sdk.customers.create({ email: "a@example.test", metadata: { life } })).id,
        );
    };
    const workers = Promise.allSettled([work(), work(), work(), work()]);
    while (answered.length < (life + 1) * 150)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await Promise.all([workers, gone]);
  }
  const stripe = start();
  const kept = new Set(stripe.account.store.all("customer").map(({ id }) => id));
  expect(answered.filter((id) => !kept.has(id))).toEqual([]);
  // Each customer came with the event that tells of them, or not at all.
  expect(stripe.account.store.all("event")).toHaveLength(kept.size);
});

it("ticks by itself: what is due happens without anybody asking", async () => {
  newFile();
  const taken: string[] = [];
  const receiver = await listenOnLoopback(0, async (request) => {
    taken.push(((await request.json()) as { type: string }).type);
    return new Response(null, { status: taken.length === 1 ? 500 : 200 });
  });
  const stripe = new LocalStripe({ origin: "http://127.0.0.1:9", secretKey, file, ticking: true });
  open.push(stripe);
  await ask(stripe, "webhook_endpoints", {
    url: `${receiver.url}/webhooks`,
    "enabled_events[0]": "customer.created",
  });
  await ask(stripe, "customers", {});
  await stripe.settled();
  expect(taken).toHaveLength(1);
  stripe.account.changeSettings({ aheadMs: 5_000 });
  await expect.poll(() => taken.length, { timeout: 10_000 }).toBe(2);
  await receiver.close();
});
