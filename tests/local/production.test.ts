/**
 * The product as a server runs it: packages without those for development, the build, a few scripts, and
 * nothing else. It installs, builds, and writes nothing.
 */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { projectFolder } from "../../local/project-folder";
import { startLocalSupabase } from "../../local/supabase";
import { freePort } from "../support/free-port";
import { HOSTED_SETTINGS } from "../support/hosted-settings";
import { isNightly } from "../support/nightly";

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

interface LockEntry {
  dev?: boolean;
  devOptional?: boolean;
}

/**
 * What the last stage of the Dockerfile has: its files, and links to the packages that
 * `npm ci --omit=dev` installs.
 */
function install({ built = true } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "production-"));
  folders.push(folder);
  const copy = (path: string) =>
    cpSync(join(projectFolder, path), join(folder, path), { recursive: true });
  copy("package.json");
  for (const name of readdirSync(join(projectFolder, "scripts")))
    if (name.endsWith(".mjs")) copy(join("scripts", name));
  for (const name of ["keys.mjs", "running.mjs", "lock.mjs", "disk-problem.mjs"])
    copy(join("local", name));
  if (built) copy("build");

  const { packages } = JSON.parse(
    readFileSync(join(projectFolder, "package-lock.json"), "utf8"),
  ) as { packages: Record<string, LockEntry> };
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || dev || devOptional) continue;
    if (!existsSync(join(projectFolder, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(projectFolder, path), join(folder, path));
  }
  writeFileSync(join(folder, "node_modules", ".package-lock.json"), "{}");
  return folder;
}

/** Runs Node in a folder, with this environment and nothing else. */
function run(folder: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...env } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  afterAll(() => void child.kill("SIGKILL"));
  return { child, ended, said: () => said };
}

/** `npm run <name>`, by what package.json says. */
const npmRun = (
  folder: string,
  name: string,
  args: string[] = [],
  env: Record<string, string> = {},
) => {
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  return run(folder, [...scripts[name]!.split(" ").slice(1), ...args], env);
};

const nowhere = { APP_URL: "http://localhost:3000", ...HOSTED_SETTINGS };

/** All files and folders in a folder, except in the packages. */
const listAll = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.name === "node_modules" || !entry.isDirectory()
      ? [path]
      : [path, ...listAll(path)];
  });

describe("npm start in production", () => {
  it.each([
    ["a Supabase project is named", nowhere],
    ["NODE_ENV says so", { NODE_ENV: "production" }],
    ["the packages for development are not installed", {}],
  ] satisfies [string, Record<string, string>][])(
    "builds nothing when %s, and says that the build is missing",
    async (_, env) => {
      const folder = install({ built: false });
      const before = listAll(folder);
      const prestart = npmRun(folder, "prestart", [], env);
      expect(await prestart.ended).toBe(0);
      expect(prestart.said()).toBe("");
      const start = npmRun(folder, "start", [], env);
      expect(await start.ended).toBe(1);
      expect(start.said().trim()).toBe(
        "The dashboard isn't built yet. Run `npm ci --include=dev && npm run build`, and try again.",
      );
      expect(listAll(folder)).toEqual(before);
    },
  );

  it("installs nothing, and says that the packages are missing", async () => {
    const folder = install();
    rmSync(join(folder, "node_modules"), { recursive: true });
    expect(await npmRun(folder, "prestart", [], nowhere).ended).toBe(0);
    const start = npmRun(folder, "start", [], nowhere);
    expect(await start.ended).toBe(1);
    expect(start.said()).toContain("The packages aren't installed yet. Run `npm ci --omit=dev`");
    expect(existsSync(join(folder, "node_modules"))).toBe(false);
  });

  it("names what is missing when nothing is set, and starts no local services", async () => {
    const folder = install();
    const start = npmRun(folder, "start", [], { PORT: String(await freePort()) });
    expect(await start.ended).toBe(1);
    for (const name of ["APP_URL", "SESSION_SECRET", "SUPABASE_URL", "SUPABASE_SECRET_KEY"])
      expect(start.said()).toContain(`${name} is missing`);
    expect(existsSync(join(folder, ".local"))).toBe(false);
  });

  it("names HOST when it is not an address of this machine", async () => {
    const folder = install();
    const start = npmRun(folder, "start", [], { ...nowhere, HOST: "192.0.2.1" });
    expect(await start.ended).toBe(1);
    expect(start.said()).toContain('HOST is "192.0.2.1", where this machine can\'t listen');
  });

  it.runIf(isNightly)("serves pages from a file system on which it may not write", async () => {
    const folder = install();
    const before = listAll(folder);
    const port = await freePort();
    // Node's permission model refuses every write, by any user, with an exception.
    const server = run(
      folder,
      [
        "--experimental-permission",
        "--allow-fs-read=*",
        "--allow-worker",
        "--no-warnings",
        "node_modules/@remix-run/serve/dist/cli.js",
        "build/server/index.js",
      ],
      { ...nowhere, NODE_ENV: "production", PORT: String(port), HOST: "127.0.0.1" },
    );
    const ask = async (path: string) =>
      (await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null))?.status;
    await expect.poll(() => ask("/healthz")).toBe(200);
    for (const path of ["/login", "/signup", "/recovery"]) expect(await ask(path)).toBe(200);
    await fetch(`http://127.0.0.1:${port}/login`, {
      method: "POST",
      body: new URLSearchParams({ email: "sam@example.org", password: "x" }),
    });
    expect(server.said()).not.toContain("ERR_ACCESS_DENIED");
    server.child.kill("SIGTERM");
    await server.ended;
    expect(listAll(folder)).toEqual(before);
  });
});

describe("the commands in production", () => {
  it("run from the build, without tsx", async () => {
    const folder = install();
    const supabase = await startLocalSupabase({
      engine: { kind: "pglite" },
      siteUrl: nowhere.APP_URL,
      seed: "none",
    });
    try {
      const env = {
        ...nowhere,
        SUPABASE_URL: supabase.url,
        SUPABASE_PUBLISHABLE_KEY: supabase.publishableKey,
        SUPABASE_SECRET_KEY: supabase.secretKey,
        SMTP_URL: "smtp://127.0.0.1:9",
        MAIL_FROM: "team@example.org",
      };
      for (const [name, output] of [
        ["erase-due", "0 deleted, 0 waiting, 0 never confirmed\n"],
        ["emails:send", "0 sent, 0 not sent\n"],
      ] as const) {
        const command = npmRun(folder, name, [], env);
        expect(await command.ended).toBe(0);
        expect(command.said()).toBe(output);
      }
      const reconcile = npmRun(folder, "billing:reconcile", ["--days", "2"], env);
      expect(await reconcile.ended).toBe(1);
      expect(reconcile.said()).toContain("No payments are set up");
      const setup = npmRun(folder, "stripe:setup", [], { ...env, STRIPE_SECRET_KEY: "pk_test_x" });
      expect(await setup.ended).toBe(1);
      expect(setup.said()).toContain("STRIPE_SECRET_KEY is not a secret key");

      const work = npmRun(folder, "work", [], env);
      await expect.poll(work.said).toContain('"msg":"work begins"');
      work.child.kill("SIGTERM");
      expect(await work.ended).toBe(0);
      expect(work.said()).toContain('"msg":"work ended"');
    } finally {
      await supabase.stop();
    }
  });

  it("end with npm, which a service manager may signal in their place", async () => {
    const child = spawn("npm", ["run", "work"], {
      cwd: install(),
      env: { PATH: process.env["PATH"], ...nowhere } as unknown as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.stderr.resume();
    await expect.poll(() => said).toContain('"msg":"work begins"');
    child.kill("SIGTERM");
    await expect.poll(() => said).toContain('"msg":"work ended"');
  });

  it("say that the build is missing", async () => {
    const command = npmRun(install({ built: false }), "erase-due", [], nowhere);
    expect(await command.ended).toBe(1);
    expect(command.said()).toContain("The dashboard isn't built yet.");
  });

  it.runIf(isNightly)("use the sources with tsx on a developer’s machine", async () => {
    const command = npmRun(projectFolder, "erase-due", [], {
      LOCAL_DATA: join(tmpdir(), "no-such-folder"),
    });
    expect(await command.ended).toBe(1);
    expect(command.said()).toContain("no dashboard runs here");
  });
});
