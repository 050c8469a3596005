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
import { advanceClock } from "../../local/stripe/clock";
import { LocalStripe } from "../../local/stripe/local-stripe";
import { seedStripe } from "../../local/stripe/seed";
import { sdkAddress } from "../support/stripe";

const folder = mkdtempSync(join(tmpdir(), "stripe-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const secretKey = "sk_test_storage_0123456789abcdef";
const webhook = { url: "http://127.0.0.1:1/webhooks", secret: "whsec_0123456789abcdef" };
let file = "";
let files = 0;
afterEach(() => (files += 1));
const newFile = (): string => (file = join(folder, `stripe-${files}.jsonl`));

const open: LocalStripe[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((one) => one.stop()))));
/** Starts one on the file; it is called without the network. */
function start(status = 200): LocalStripe {
  const stripe = new LocalStripe({
    origin: "http://127.0.0.1:9",
    secretKey,
    file,
    send: async () => ({ status, body: "" }),
  });
  open.push(stripe);
  return stripe;
}
async function request<T>(
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

describe("the journal", () => {
  it("restores objects, idempotency keys, events and the clock after a restart", async () => {
    newFile();
    const first = start();
    await seedStripe(first, { secretKey, webhook });
    const made = await request<Stripe.Customer>(
      first,
      "customers",
      { email: "a@example.test" },
      "key-1",
    );
    await request(first, `customers/${made.id}`, { email: "b@example.test" });
    advanceClock(first.account, 5 * 3_600_000);
    await first.deliverWebhooks();
    const events = first.account.store.all("event");
    const { clockOffsetMs } = first.account.settings;
    await first.stop();

    const second = start();
    expect(await request(second, `customers/${made.id}`)).toMatchObject({
      email: "b@example.test",
    });
    expect(
      (await request<Stripe.Customer>(second, "customers", { email: "a@example.test" }, "key-1"))
        .id,
    ).toBe(made.id);
    expect(second.account.store.all("event")).toEqual(events);
    expect(clockOffsetMs).toBeGreaterThan(5 * 3_600_000 - 60_000);
    expect(second.account.settings.clockOffsetMs).toBe(clockOffsetMs);
  });

  it("keeps one webhook endpoint when the app moves to another port", async () => {
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

  it("continues to retry a webhook after a restart", async () => {
    newFile();
    const first = start(503);
    await request(first, "webhook_endpoints", {
      url: webhook.url,
      "enabled_events[0]": "customer.created",
    });
    await request(first, "customers", {});
    await first.deliverWebhooks();
    await first.stop();
    const second = start();
    advanceClock(second.account, 5_000);
    await second.deliverWebhooks();
    expect(
      second.account.store.all("delivery").map(({ state, attempts }) => [state, attempts.length]),
    ).toEqual([["delivered", 2]]);
  });

  it("drops a half-written last line, and reports any other damage", async () => {
    newFile();
    const first = start();
    const made = await request<Stripe.Customer>(first, "customers", { email: "a@example.test" });
    await first.stop();
    appendFileSync(file, `[["customer","cus_half",{"id":"cus_ha`);
    const second = start();
    expect(second.account.store.all("customer").map(({ id }) => id)).toEqual([made.id]);
    await second.stop();
    writeFileSync(file, `nonsense\n${readFileSync(file, "utf8")}`);
    expect(() => start()).toThrow(/damaged in line 1/);
  });

  it("is locked for other processes", () => {
    newFile();
    start();
    expect(() => start()).toThrow(FolderInUse);
  });

  it("is readable only by its owner", async () => {
    newFile();
    await request(start(), "customers", {});
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

const processFile = fileURLToPath(new URL("process.ts", import.meta.url));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});
async function startProcess(): Promise<{ child: ChildProcess; sdk: Stripe }> {
  const child = spawn(process.execPath, ["--import", "tsx", processFile, file, secretKey], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [output] = (await once(child.stdout, "data")) as [Buffer];
  return {
    child,
    sdk: new SDK(secretKey, {
      ...sdkAddress(output.toString().trim()),
      telemetry: false,
      maxNetworkRetries: 0,
    }),
  };
}

it("loses no answered request when its process is killed while it writes", async () => {
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
  // A customer and its event are stored together or not at all.
  expect(stripe.account.store.all("event")).toHaveLength(kept.size);
});

it("runs what is due by itself, without a request", async () => {
  newFile();
  const received: string[] = [];
  const receiver = await listenOnLoopback(0, async (request) => {
    received.push(((await request.json()) as { type: string }).type);
    return new Response(null, { status: received.length === 1 ? 500 : 200 });
  });
  const stripe = new LocalStripe({ origin: "http://127.0.0.1:9", secretKey, file, ticking: true });
  open.push(stripe);
  await request(stripe, "webhook_endpoints", {
    url: `${receiver.url}/webhooks`,
    "enabled_events[0]": "customer.created",
  });
  await request(stripe, "customers", {});
  await stripe.deliverWebhooks();
  expect(received).toHaveLength(1);
  stripe.account.changeSettings({ clockOffsetMs: 5_000 });
  await expect.poll(() => received.length).toBe(2);
  await receiver.close();
});
