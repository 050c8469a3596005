import { format } from "node:util";

type Level = "error" | "warn";

const unexpected: string[] = [];
let expected: { level: Level; pattern: RegExp }[] = [];

/** Replaces console.error and console.warn by ones that remember what nobody expected. */
export function watchConsole() {
  for (const level of ["error", "warn"] as const) {
    const original = console[level].bind(console);
    console[level] = (...values: unknown[]) => {
      const text = format(...values);
      if (expected.some((one) => one.level === level && one.pattern.test(text))) return;
      unexpected.push(`console.${level}: ${text}`);
      original(...values);
    };
  }
}

/** States that a message matching the pattern belongs to the running test; it is then not shown. */
export function expectConsole(level: Level, pattern: RegExp) {
  expected.push({ level, pattern });
}

/** What was written unexpectedly since the last call; also forgets what was expected. */
export function takeUnexpectedConsole(): string[] {
  expected = [];
  return unexpected.splice(0);
}
