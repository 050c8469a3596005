import { format } from "node:util";

type Level = "error" | "warn";

const unexpected: string[] = [];
let expected: { level: Level; pattern: RegExp }[] = [];

/** Replaces console.error and console.warn by functions that record unexpected messages. */
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

/** Expects a message that matches the pattern in the running test. The message is not printed. */
export function expectConsole(level: Level, pattern: RegExp) {
  expected.push({ level, pattern });
}

/** Returns the unexpected messages since the last call, and clears what was expected. */
export function takeUnexpectedConsole(): string[] {
  expected = [];
  return unexpected.splice(0);
}
