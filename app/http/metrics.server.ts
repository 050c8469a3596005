import { monitorEventLoopDelay } from "node:perf_hooks";

import { onUpstreamCall } from "~/integrations/upstream/call-upstream.server";

import { onRequestEnd } from "./open-requests.server";

/** In seconds. The last ones are near the ten seconds that a request may take. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * More series than the app has. Any others are counted together, so that nothing can fill the
 * memory.
 */
const MAX_SERIES = 1_000;
const OTHER = "other";

type Labels = Readonly<Record<string, string>>;

interface Series {
  /** One for each bucket: how many took at most that long. */
  counts: number[];
  count: number;
  seconds: number;
}

const quote = (text: string) =>
  text.replace(/[\\"\n]/g, (char) => (char === "\n" ? "\\n" : `\\${char}`));
const write = (labels: Labels) =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${quote(value)}"`)
    .join(",")}}`;

/** Durations by their labels, in the text format of Prometheus. */
export class Histogram {
  readonly #series = new Map<string, { labels: Labels; series: Series }>();

  constructor(
    readonly name: string,
    readonly help: string,
  ) {}

  observe(labels: Labels, seconds: number): void {
    const key = write(labels);
    const known = this.#series.get(key)?.series;
    if (
      !known &&
      this.#series.size >= MAX_SERIES &&
      Object.values(labels).some((one) => one !== OTHER)
    )
      return this.observe(
        Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER])),
        seconds,
      );
    const series = known ?? { counts: BUCKETS.map(() => 0), count: 0, seconds: 0 };
    if (!known) this.#series.set(key, { labels, series });
    series.count += 1;
    series.seconds += seconds;
    BUCKETS.forEach((limit, index) => {
      if (seconds <= limit) series.counts[index]! += 1;
    });
  }

  *lines(): Generator<string> {
    yield `# HELP ${this.name} ${this.help}`;
    yield `# TYPE ${this.name} histogram`;
    for (const [key, { labels, series }] of this.#series) {
      const buckets = [...BUCKETS.map(String), "+Inf"];
      for (const [index, le] of buckets.entries())
        yield `${this.name}_bucket${write({ ...labels, le })} ${series.counts[index] ?? series.count}`;
      yield `${this.name}_sum${key} ${series.seconds}`;
      yield `${this.name}_count${key} ${series.count}`;
    }
  }
}

type Kind = "counter" | "gauge";

/** A metric of one value for each set of labels. */
export function* describeMetric(
  kind: Kind,
  name: string,
  help: string,
  values: readonly (readonly [labels: Labels, value: number])[],
): Generator<string> {
  yield `# HELP ${name} ${help}`;
  yield `# TYPE ${name} ${kind}`;
  for (const [labels, value] of values)
    yield `${name}${Object.keys(labels).length > 0 ? write(labels) : ""} ${value}`;
}

const requests = new Histogram(
  "http_request_duration_seconds",
  "From the arrival of a request to the end of its response.",
);
const calls = new Histogram(
  "upstream_call_duration_seconds",
  "How long calls of outside services took.",
);
const failures = new Map<string, number>();
const LOOP_TICK_MS = 10;
/** Measures the time from one tick to the next, which is longer than a tick by the delay. */
const loopTicks = monitorEventLoopDelay({ resolution: LOOP_TICK_MS });

/** Begins to count. */
export function startMetrics(): void {
  loopTicks.enable();
  onRequestEnd(({ method, route, status, ms }) =>
    requests.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, ms / 1_000),
  );
  onUpstreamCall(({ service, status, ms }) => {
    calls.observe({ service }, ms / 1_000);
    const failed = status === 0 || status === 429 || status >= 500;
    failures.set(service, (failures.get(service) ?? 0) + (failed ? 1 : 0));
  });
}

/**
 * What this process knows about itself. The delay of the event loop is measured since the last
 * call.
 */
export function* processMetrics(): Generator<string> {
  yield* requests.lines();
  yield* calls.lines();
  yield* describeMetric(
    "counter",
    "upstream_call_failures_total",
    "Calls without an answer, or with one of 429 or 500 and above.",
    [...failures].map(([service, count]) => [{ service }, count] as const),
  );
  const delays = ([50, 99, 100] as const).map((percentile) => {
    const delayMs = Math.max(0, loopTicks.percentile(percentile) / 1e6 - LOOP_TICK_MS);
    return [{ quantile: String(percentile / 100) }, delayMs / 1_000] as const;
  });
  loopTicks.reset();
  yield* describeMetric(
    "gauge",
    "event_loop_delay_seconds",
    "How late timers fired, since the last scrape.",
    delays,
  );
  const { rss, heapUsed } = process.memoryUsage();
  yield* describeMetric("gauge", "process_resident_memory_bytes", "Memory of the process.", [
    [{}, rss],
  ]);
  yield* describeMetric("gauge", "process_heap_used_bytes", "Memory of its JavaScript objects.", [
    [{}, heapUsed],
  ]);
  yield* describeMetric("gauge", "process_uptime_seconds", "Since the process started.", [
    [{}, process.uptime()],
  ]);
}
