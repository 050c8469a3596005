/** The whole product as `npm start` runs it, with fresh demo data and a data folder of its own. */
import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { startChild, type ChildProgram } from "./child-process";
import { freePort } from "./free-port";

export interface StartedApp {
  url: string;
  /** Everything it printed. */
  output(): string;
  stop(): Promise<void>;
}

export interface RunningApp extends StartedApp {
  /** The local Supabase; its mailbox page is at `/mailbox`. */
  supabaseUrl: string;
  publishableKey: string;
  secretKey: string;
}

const root = new URL("../..", import.meta.url);

/** Starts the built app with everything it needs. @throws with its output when it does not start */
export async function startApp(settings: Record<string, string> = {}): Promise<RunningApp> {
  const { folder, ...app } = await start("Stop with Ctrl+C", settings);
  const supabaseUrl = /(http:\/\/127\.0\.0\.1:\d+)\/mailbox/.exec(app.output())?.[1];
  if (!supabaseUrl)
    throw new Error(`The dashboard did not print where its mailbox is.\n${app.output()}`);
  const { publishableKey, secretKey } = JSON.parse(
    readFileSync(join(folder, "keys.json"), "utf8"),
  ) as { publishableKey: string; secretKey: string };
  return { ...app, supabaseUrl, publishableKey, secretKey };
}

/**
 * Starts the built app alone, over the Supabase that its settings name.
 * @throws with its output when it does not start
 */
export async function startAppOver(settings: Record<string, string>): Promise<StartedApp> {
  return start("The dashboard runs on", settings);
}

async function start(ready: string, settings: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "dashboard-"));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const app: ChildProgram = startChild({
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
    folders: [folder],
    signal: "SIGTERM",
  });
  // `npm start` itself gives up when the app does not answer.
  while (!app.output().includes(ready)) {
    if (app.hasEnded()) throw new Error(`The dashboard did not start.\n${app.output()}`);
    await sleep(50);
  }
  return { url, folder, output: () => app.output(), stop: () => app.stop() };
}

/** Blanks every variable of the app, so that neither the shell nor a .env file affects the tests. */
function unset(): Record<string, string> {
  const example = readFileSync(new URL(".env.example", root), "utf8");
  const names = [...example.matchAll(/^([A-Z_]+)=/gm)].map((match) => match[1]!);
  return Object.fromEntries([...names, "DATABASE_URL", "HOST"].map((name) => [name, ""]));
}
