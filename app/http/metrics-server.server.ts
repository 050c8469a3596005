import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";

import { env } from "~/env.server";
import { readQueueLengths } from "~/integrations/supabase/queue-lengths.server";

import { log, redactSecrets } from "./log.server";
import { describeMetric, processMetrics, startMetrics } from "./metrics.server";
import { excludeServer } from "./prepare-request.server";

/** Counts that the modules keep, by name. */
type Counters = Readonly<Record<string, () => number>>;

/**
 * Serves `/metrics` for Prometheus on a port of its own, so that no proxy in front of the dashboard
 * serves it to the public. Does nothing while METRICS_PORT is not set.
 */
export function startMetricsServer(counters: Counters): void {
  const { metrics } = env();
  if (!metrics) return;
  startMetrics();
  const build = identifyBuild();
  const server = createServer((request, response) => {
    if (request.url !== "/metrics") send(response, 404, "The metrics are at /metrics.\n");
    else
      void collect(counters, build).then(
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
  // It keeps no process alive that is otherwise done.
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

async function collect(counters: Counters, build: string): Promise<string> {
  const lengths = await readQueueLengths();
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
  if (lengths)
    lines.push(
      ...describeMetric(
        "gauge",
        "queue_length",
        "Items waiting in each queue.",
        Object.entries(lengths.queues).map(([queue, length]) => [{ queue }, length] as const),
      ),
    );
  return `${lines.join("\n")}\n`;
}
