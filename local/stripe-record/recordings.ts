import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { format } from "prettier";

import type { Answers } from "./scenario";

/** What Stripe answered to a scenario, normalized. */
export interface Recording {
  apiVersion: string;
  /** YYYY-MM-DD */
  recordedOn: string;
  answers: Answers;
}

/** Where the recordings are in the repository. */
export const RECORDINGS = fileURLToPath(
  new URL("../../tests/stripe-stand-in/recordings/", import.meta.url),
);

/** The recording of a scenario; null when there is none yet. */
export function readRecording(folder: string, scenario: string): Recording | null {
  const file = join(folder, `${scenario}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Recording) : null;
}

/** Saves the recording of a scenario, formatted as every file is. */
export async function saveRecording(
  folder: string,
  scenario: string,
  recording: Recording,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const text = await format(JSON.stringify(recording), { parser: "json", printWidth: 100 });
  writeFileSync(join(folder, `${scenario}.json`), text);
}
