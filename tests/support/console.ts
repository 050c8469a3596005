import { format } from "node:util";

import { processWide } from "./process-wide";

type Level = "error" | "warn";

const messages = processWide("console", () => ({
  watched: false,
  unexpected: [] as string[],
  expected: [] as { level: Level; pattern: RegExp }[],
}));

/** Replaces console.error and console.warn by functions that record unexpected messages. */
export function watchConsole() {
  if (messages.watched) return;
  messages.watched = true;
  for (const level of ["error", "warn"] as const) {
    const original = console[level].bind(console);
    console[level] = (...values: unknown[]) => {
      const text = format(...values);
      if (messages.expected.some((one) => one.level === level && one.pattern.test(text))) return;
      messages.unexpected.push(`console.${level}: ${text}`);
      original(...values);
    };
  }
}

/** Expects a message that matches the pattern in the running test. The message is not printed. */
export function expectConsole(level: Level, pattern: RegExp) {
  messages.expected.push({ level, pattern });
}

/** Returns the unexpected messages since the last call, and clears what was expected. */
export function takeUnexpectedConsole(): string[] {
  messages.expected = [];
  return messages.unexpected.splice(0);
}
