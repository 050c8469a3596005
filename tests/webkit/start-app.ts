import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { startForJourneys } from "../e2e/start-app";
import { startChild } from "../support/child-process";
import { freePort } from "../support/free-port";

/** GTK fades pages, and a tab that the driver steers crashes on Back while it does. */
const SETTINGS = "[Settings]\ngtk-enable-animations=0\n";
/** The window could not be as narrow as a phone otherwise. */
const NARROW = "* { min-width: 0; padding: 0; margin: 0; }\n";

/** Runs once before all journeys: starts the app as the other journeys do, and a display for the browser. */
export default async function startBeforeAll() {
  const display = startChild({
    command: "Xvfb",
    args: ["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
    env: process.env,
    folders: [],
    signal: "SIGTERM",
  });
  const settings = await mkdtemp(join(tmpdir(), "webkit-"));
  for (const version of ["gtk-3.0", "gtk-4.0"]) {
    await mkdir(join(settings, version));
    await writeFile(join(settings, version, "settings.ini"), SETTINGS);
    await writeFile(join(settings, version, "gtk.css"), NARROW);
  }
  while (!/^\d+\n/m.test(display.output())) {
    if (display.hasEnded()) throw new Error(`Xvfb did not start.\n${display.output()}`);
    await sleep(20);
  }
  process.env["E2E_DISPLAY"] = `:${/^(\d+)\n/m.exec(display.output())![1]}`;
  process.env["E2E_GTK_SETTINGS"] = settings;

  // Each journey listens at the address of the app, in between (tests/webkit/network.ts).
  const stopApp = await startForJourneys({
    APP_URL: `https://localhost:${await freePort()}`,
    // The stand-ins send to that address, whose certificate no one has signed.
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
  });
  return async () => {
    await stopApp();
    await display.stop();
    await rm(settings, { recursive: true });
  };
}
