import type { Difference, Report } from "./run-suite";

const HEADINGS = ["check", "expected", "got"] as const;

function writeTable(differences: readonly Difference[]): string[] {
  const rows = [
    HEADINGS,
    ...differences.map(({ check, expected, actual }) => [check, expected, actual] as const),
  ];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const write = (row: readonly string[]) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ")}`.trimEnd();
  const [heading, ...lines] = rows.map(write);
  return [heading!, write(widths.map((width) => "-".repeat(width))), ...lines];
}

/** The report as people read it, and whether every difference is a known one and nothing is left. */
export function writeReport({ checks, differences, left }: Report): {
  text: string;
  isWell: boolean;
} {
  const unknown = differences.filter(({ reason }) => reason === null);
  const known = differences.filter(({ reason }) => reason !== null);
  const lines: string[] = [];
  if (unknown.length > 0) lines.push("Differences:", ...writeTable(unknown), "");
  if (known.length > 0) {
    lines.push("Known differences:", ...writeTable(known), "");
    lines.push(...new Set(known.map(({ reason }) => `  ${reason}`)), "");
  }
  lines.push(...left);
  lines.push(
    `${checks} checks: ${checks - differences.length} as expected, ${known.length} known differences, ` +
      `${unknown.length} unknown.`,
  );
  return { text: lines.join("\n"), isWell: unknown.length === 0 && left.length === 0 };
}
