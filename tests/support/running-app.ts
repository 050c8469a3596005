/** The whole product as `npm start` runs it, with fresh demo data and a data folder of its own. */
import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { freePort } from "./free-port";
import { keepProcess } from "./kept-process";

export interface RunningApp {
  url: string;
  /** The stand-in for Supabase; its mailbox page is at `/mailbox`. */
  supabaseUrl: string;
  publishableKey: string;
  /** What it printed. */
  output(): string;
  stop(): Promise<void>;
}

const root = new URL("../..", import.meta.url);
const STARTS_WITHIN_MS = 90_000;

/** Starts the built app. Throws with its words when it does not start. */
export async function startApp(settings: Record<string, string> = {}): Promise<RunningApp> {
  const folder = await mkdtemp(join(tmpdir(), "dashboard-"));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const app = keepProcess({
    command: process.execPath,
    args: [fileURLToPath(new URL("scripts/start.mjs", root))],
    env: {
      ...process.env,
      ...unset(),
      PORT: String(port),
      APP_URL: url,
      LOCAL_DATA: folder,
      ...settings,
    },
    folder,
    signal: "SIGTERM",
  });
  const deadline = Date.now() + STARTS_WITHIN_MS;
  while (!app.output().includes("Ready in")) {
    if (app.hasEnded() || Date.now() > deadline) {
      await app.stop();
      throw new Error(`The dashboard did not start.\n${app.output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const supabaseUrl = /(http:\/\/127\.0\.0\.1:\d+)\/mailbox/.exec(app.output())?.[1];
  if (!supabaseUrl)
    throw new Error(`The dashboard did not say where its mailbox is.\n${app.output()}`);
  const keys = JSON.parse(readFileSync(join(folder, "keys.json"), "utf8")) as {
    publishableKey: string;
  };
  return {
    url,
    supabaseUrl,
    publishableKey: keys.publishableKey,
    output: () => app.output(),
    stop: () => app.stop(),
  };
}

/** Blanks every variable of the app, so that neither this shell nor a .env file reaches the tests. */
function unset(): Record<string, string> {
  const example = readFileSync(new URL(".env.example", root), "utf8");
  const names = [...example.matchAll(/^([A-Z_]+)=/gm)].map((match) => match[1]!);
  return Object.fromEntries([...names, "DATABASE_URL", "HOST"].map((name) => [name, ""]));
}
