/** What Prometheus reads: off by default, on a port of its own, and nothing of anyone. */
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, it, onTestFinished } from "vitest";

import { freePort } from "../support/free-port";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";
import { breakDown, faults } from "../faults/outage";

const port = await freePort();
const world = await createWorld({ env: { METRICS_PORT: String(port) } });
const { startMetricsServer } = await import("~/http/metrics-server.server");
const { prepareAllRequests } = await import("~/http/prepare-request.server");
prepareAllRequests();
let undelivered: number | null = 12;
startMetricsServer({
  counters: { webhook_events_unrecorded: () => 7 },
  queues: { webhook_events: () => Promise.resolve(undelivered) },
});

const scrape = async () => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  return {
    status: response.status,
    type: response.headers.get("Content-Type"),
    text: await response.text(),
  };
};
const valueOf = (text: string, series: string) =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length),
  );

/** Sends a request over a real connection, to a server that answers by itself. */
async function request(path: string) {
  const server = createServer((_, response) => response.end("ok"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) =>
    get({ port: (server.address() as AddressInfo).port, path, agent: false }, (response) =>
      response.resume().on("close", resolve),
    ),
  );
}

describe("the metrics", () => {
  it("have the format of Prometheus, and every name and help once", async () => {
    await request("/favicon.ico");
    const { status, type, text } = await scrape();
    expect(status).toBe(200);
    expect(type).toContain("text/plain; version=0.0.4");
    for (const line of text.trimEnd().split("\n"))
      expect(line).toMatch(
        /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"\n]*",?)+\})? [\d.e+-]+)$/,
      );
    const helps = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
    expect(new Set(helps).size).toBe(helps.length);
  });

  it("count requests by route and status, and calls by service", async () => {
    const owner = await world.owner();
    const before = await scrape();
    await request("/apple-touch-icon.png?email=sam@example.org");
    await owner.get("/listings");
    const { text } = await scrape();
    const files = 'http_request_duration_seconds_count{method="GET",route="file",status="2xx"}';
    const calls = 'upstream_call_duration_seconds_count{service="database"}';
    expect(valueOf(text, files)).toBeGreaterThan(valueOf(before.text, files) || 0);
    expect(valueOf(text, calls)).toBeGreaterThan(valueOf(before.text, calls) || 0);
    const bucket = (le: string) =>
      valueOf(text, `upstream_call_duration_seconds_bucket{service="database",le="${le}"}`);
    expect(bucket("+Inf")).toBe(valueOf(text, calls));
    expect(bucket("10")).toBeGreaterThanOrEqual(bucket("0.01"));
    expect(text).not.toMatch(/sam|example|@/);
  });

  it("have the lengths of the queues, the build, and what could not be recorded", async () => {
    await world.sql(
      "insert into private.email_queue (recipient, kind, key) select id, 'test-letter', 'metrics' from public.profiles limit 1",
    );
    const { text } = await scrape();
    expect(valueOf(text, 'queue_length{queue="emails_due"}')).toBeGreaterThan(0);
    expect(valueOf(text, 'queue_length{queue="spots_held"}')).toBe(0);
    expect(valueOf(text, 'queue_length{queue="deletions_due"}')).toBe(0);
    expect(valueOf(text, 'queue_length{queue="webhook_events"}')).toBe(12);
    expect(valueOf(text, "webhook_events_unrecorded_total")).toBe(7);
    expect(text).toMatch(/^app_info\{build="[0-9a-f]{12}",migration="\w+"\} 1$/m);
  });

  it("say that the database does not answer, and are there all the same", async () => {
    breakDown(`${world.supabase.url}/rest/v1/*`, faults["answers 503"]!);
    const { status, text } = await scrape();
    expect(status).toBe(200);
    expect(valueOf(text, "database_up")).toBe(0);
    expect(text.match(/^queue_length\{.*/gm)).toEqual(['queue_length{queue="webhook_events"} 12']);
    expect(valueOf(text, 'upstream_call_failures_total{service="database"}')).toBeGreaterThan(0);
    outside.resetHandlers();
    expect(valueOf((await scrape()).text, "database_up")).toBe(1);
  });

  it("leave out a queue whose length is not known", async () => {
    undelivered = null;
    const { text } = await scrape();
    expect(text).not.toContain('queue="webhook_events"');
    expect(text).toContain("queue_length{");
  });

  it("are at one address only", async () => {
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  });
});
