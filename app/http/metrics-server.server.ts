import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";

import { env } from "~/env.server";
import { readQueueLengths } from "~/integrations/supabase/queue-lengths.server";

import { log, redactSecrets } from "./log.server";
import { describeMetric, processMetrics, startMetrics } from "./metrics.server";
import { excludeServer } from "./prepare-request.server";

/** Values that the modules provide, by name. */
interface Sources {
  counters: Readonly<Record<string, () => number>>;
  /** The lengths of queues outside of the database; null while one is not known. */
  queues: Readonly<Record<string, () => Promise<number | null>>>;
}

/**
 * Serves `/metrics` for Prometheus on a port of its own, so that no proxy in front of the dashboard
 * serves it to the public. Does nothing while METRICS_PORT is not set.
 */
export function startMetricsServer(sources: Sources): void {
  const { metrics } = env();
  if (!metrics) return;
  startMetrics();
  const build = identifyBuild();
  const server = createServer((request, response) => {
    if (request.url !== "/metrics") send(response, 404, "The metrics are at /metrics.\n");
    else
      void collect(sources, build).then(
        (text) => send(response, 200, text),
        (error: unknown) => {
          log().error({ reason: redactSecrets(String(error)) }, "metrics could not be collected");
          send(response, 500, "The metrics could not be collected. The log says why.\n");
        },
      );
  });
  excludeServer(server);
  server.on("error", (error) =>
    log().error({ reason: error.message }, "metrics can’t be served: is METRICS_PORT in use?"),
  );
  server.listen(metrics.port, metrics.host);
  // It doesn't keep a process alive that is otherwise done.
  server.unref();
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
  response.end(text);
}

/** A hash of the server's code: the same for the same build on every machine. */
function identifyBuild(): string {
  const code = readFileSync(fileURLToPath(import.meta.url));
  return createHash("sha256").update(code).digest("hex").slice(0, 12);
}

async function collect({ counters, queues }: Sources, build: string): Promise<string> {
  const [lengths, elsewhere] = await Promise.all([
    readQueueLengths(),
    Promise.all(
      Object.entries(queues).map(async ([queue, count]) => [queue, await count()] as const),
    ),
  ]);
  const known = [...Object.entries(lengths?.queues ?? {}), ...elsewhere].filter(
    (entry): entry is [string, number] => entry[1] !== null,
  );
  const lines = [
    ...processMetrics(),
    ...Object.entries(counters).flatMap(([name, read]) => [
      ...describeMetric("counter", `${name}_total`, "Since the process started.", [[{}, read()]]),
    ]),
    ...describeMetric("gauge", "database_up", "Whether the database could count its queues.", [
      [{}, lengths ? 1 : 0],
    ]),
    ...describeMetric("gauge", "app_info", "The build, and the newest migration of the database.", [
      [{ build, migration: lengths?.migration ?? "unknown" }, 1],
    ]),
  ];
  if (known.length > 0)
    lines.push(
      ...describeMetric(
        "gauge",
        "queue_length",
        "Items waiting in each queue.",
        known.map(([queue, length]) => [{ queue }, length] as const),
      ),
    );
  return `${lines.join("\n")}\n`;
}
