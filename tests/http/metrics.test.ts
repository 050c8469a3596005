import { expect, it } from "vitest";

import { configure } from "./configure";

configure();
const { Histogram } = await import("~/http/metrics.server");

it("counts together what has more labels than the app has, so that no visitor can fill the memory", () => {
  const durations = new Histogram("durations", "How long it took.");
  for (let made = 0; made < 5_000; made += 1)
    durations.observe({ method: "GET", route: `/made-up-${made}` }, 0.2);
  const lines = [...durations.lines()];
  expect(lines.filter((line) => line.startsWith("durations_count")).length).toBeLessThan(1_100);
  const counted = lines
    .filter((line) => line.startsWith("durations_count"))
    .map((line) => Number(line.split(" ").at(-1)));
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(5_000);
  expect(lines.some((line) => line.includes('{method="other",route="other"} 4'))).toBe(true);
});
