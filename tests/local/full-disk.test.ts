/** The app in production whose log goes to a disk that is full. */
import { spawn } from "node:child_process";
import { existsSync, openSync } from "node:fs";

import { afterAll, expect, it } from "vitest";

import { projectFolder } from "../../local/project-folder";
import { freePort } from "../support/free-port";
import { HOSTED_SETTINGS } from "../support/hosted-settings";
import { isNightly } from "../support/nightly";

/** Where every write fails with ENOSPC. Only Linux has it. */
const FULL = "/dev/full";

it.runIf(isNightly && existsSync(FULL))(
  "starts and answers while its log can't be written",
  async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const child = spawn(process.execPath, ["scripts/start.mjs"], {
      cwd: projectFolder,
      env: {
        ...process.env,
        NODE_ENV: "production",
        LOG_LEVEL: "info",
        PORT: String(port),
        APP_URL: `http://localhost:${port}`,
        ...HOSTED_SETTINGS,
      },
      stdio: ["ignore", openSync(FULL, "w"), openSync(FULL, "w")],
    });
    afterAll(() => void child.kill("SIGKILL"));
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const statusOf = (path: string) =>
      fetch(url + path).then(
        ({ status }) => status,
        () => null,
      );
    await expect.poll(() => child.exitCode ?? statusOf("/healthz")).toBe(200);
    // More lines than a pipe or a buffer of a few kilobytes takes.
    for (let times = 0; times < 60; times += 1) expect(await statusOf("/login")).toBe(200);
    expect(await statusOf("/readyz")).toBe(503);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  },
);
