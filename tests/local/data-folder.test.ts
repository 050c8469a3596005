import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { build } from "vite";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { openPglite } from "../../local/engine-pglite";
import { FolderInUse } from "../../local/folder-lock";
import { readOrMakeKeys } from "../../local/keys.mjs";
import { MigrationFailed } from "../../local/migrations";
import { projectFolder } from "../../local/project-folder";
import { migratedSnapshot } from "../../local/snapshot";
import { isNightly } from "../support/nightly";
import { startPostgres } from "../support/postgres";

import { makeProject, startServices, type Project } from "./project";

const SEED = "insert into public.board select n, 'demo' from generate_series(101, 110) n;";

let project: Project;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  project.remove();
});

/** The stand-in as one file, since starting it from its sources takes three times as long. It knows its folder by its own. */
const bundle = join(projectFolder, ".cache", `stand-in-${process.pid}.mjs`);
beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: "error",
    publicDir: false,
    build: {
      ssr: join(projectFolder, "local/supabase.ts"),
      outDir: dirname(bundle),
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: basename(bundle) } },
    },
  });
});
afterAll(() => rmSync(bundle, { force: true }));

/** Starts a stand-in on the project's data folder in another process. */
function startProcess({ project: folder, dataDir }: { project: string; dataDir: string }) {
  const code = `
    const { startLocalSupabase } = await import(${JSON.stringify(bundle)});
    await startLocalSupabase({
      engine: { kind: "pglite", dataDir: ${JSON.stringify(dataDir)} },
      project: ${JSON.stringify(folder)}, siteUrl: "http://dashboard.test", seed: "demo",
      onProgress: (text) => console.log(text),
    });
    console.log("ready");`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: projectFolder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    said: () => said,
    async until(text: string) {
      while (!said.includes(text)) {
        if (child.exitCode !== null) throw new Error(`It ended early, saying: ${said}`);
        await sleep(5);
      }
    },
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

describe("a data folder", () => {
  it("is seeded once, and keeps its data over restarts", async () => {
    project = makeProject({ seed: SEED });
    const options = {
      project: project.folder,
      engine: { kind: "pglite" as const, dataDir: project.dataDir },
      seed: "demo" as const,
    };
    const first = await startServices(options);
    expect(await first.sql("select count(*) as n from board")).toEqual([{ n: 15 }]);
    await first.member("stays@example.test");
    await first.sql("delete from board where id > 3");
    const mails = first.mails.length;
    await first.stop();

    const second = await startServices(options);
    expect(await second.sql("select count(*) as n from board")).toEqual([{ n: 3 }]);
    expect(await second.signIn("stays@example.test")).toMatchObject({ status: 200 });
    expect(second.mails).toHaveLength(mails);
    const [row] = await second.sql(
      "select has_table_privilege('anon', 'public.notes', 'select') as open",
    );
    expect(row).toEqual({ open: false });
    await second.stop();
  });

  it.runIf(isNightly)(
    "is locked for a second process, and free again when the first was killed",
    async () => {
      project = makeProject();
      const options = {
        project: project.folder,
        engine: { kind: "pglite" as const, dataDir: project.dataDir },
      };
      const other = startProcess({ project: project.folder, dataDir: project.dataDir });
      await other.until("ready");
      await expect(startServices(options)).rejects.toThrow(FolderInUse);
      await expect(startServices(options)).rejects.toThrow(
        /data folder .* is in use by process \d+.* Stop the other one first/,
      );
      await other.kill();
      const services = await startServices(options);
      expect(await services.sql("select count(*) as n from board")).toEqual([{ n: 5 }]);
      // It is also locked for a second start in the same process.
      await expect(startServices(options)).rejects.toThrow(FolderInUse);
      await services.stop();
      expect(readdirSync(project.folder)).not.toContain("data.lock");
    },
  );

  it.runIf(isNightly)("starts after its first start was killed at any moment", async () => {
    project = makeProject({ seed: SEED });
    const options = {
      project: project.folder,
      engine: { kind: "pglite" as const, dataDir: project.dataDir },
      seed: "demo" as const,
    };
    // The archive exists already, so that the kills hit the creation of the folder.
    await migratedSnapshot(project.folder);
    const moments: [message: string, wait: number][] = [
      ["Preparing", 0],
      ["Preparing", 150],
      ["Preparing", 400],
      ["demo data", 0],
      ["demo data", 60],
    ];
    for (const [message, wait] of moments) {
      const attempt = startProcess({ project: project.folder, dataDir: project.dataDir });
      await attempt.until(message);
      await sleep(wait);
      await attempt.kill();
      if (existsSync(project.dataDir)) break;
    }
    const services = await startServices(options);
    expect(await services.sql("select count(*) as n from board")).toEqual([{ n: 15 }]);
    await services.stop();
    expect(readdirSync(project.folder).filter((name) => name.includes("starting"))).toEqual([]);
  });

  it.runIf(isNightly)(
    "applies new migrations at a start, stays when one of them is of another branch, and reports edited ones",
    async () => {
      project = makeProject();
      const messages: string[] = [];
      const options = {
        project: project.folder,
        engine: { kind: "pglite" as const, dataDir: project.dataDir },
        onProgress: (text: string) => void messages.push(text),
      };
      await (await startServices(options)).stop();
      project.addMigration("20260102000000_more.sql", "create table public.more (id int);");
      messages.length = 0;
      const second = await startServices(options);
      expect(messages).toEqual(["Applied 20260102000000_more.sql"]);
      expect(await second.get("/rest/v1/more")).toEqual({ status: 200, body: [] });
      expect(
        await second.sql(
          "select version, name from supabase_migrations.schema_migrations order by 1",
        ),
      ).toEqual([
        { version: "20260101000000", name: "start" },
        { version: "20260102000000", name: "more" },
      ]);
      await second.member("stays@example.test");
      await second.stop();

      project.removeMigration("20260102000000_more.sql");
      const other = await startServices(options);
      expect(await other.sql("select email from auth.users")).toEqual([
        { email: "stays@example.test" },
      ]);
      await other.stop();

      project.addMigration("20260102000000_more.sql", "create table public.other (id int);");
      messages.length = 0;
      await (await startServices(options)).stop();
      expect(messages).toEqual([expect.stringContaining("20260102000000_more.sql")]);
      expect(messages[0]).toContain("npm run reset");
    },
  );

  it.runIf(isNightly)(
    "is moved aside and replaced when its migrations have been replaced",
    async () => {
      project = makeProject({ seed: SEED });
      const progress: string[] = [];
      const options = {
        project: project.folder,
        engine: { kind: "pglite" as const, dataDir: project.dataDir },
        seed: "demo" as const,
        onProgress: (text: string) => void progress.push(text),
      };
      const first = await startServices(options);
      await first.member("before@example.test");
      await first.stop();
      project.renameMigration("20260101000000_start.sql", "20260301000000_start.sql");
      progress.length = 0;

      const second = await startServices(options);
      const kept = /moved to (\S+),/.exec(progress[0] ?? "")?.[1] ?? "";
      expect(dirname(kept)).toBe(project.folder);
      expect(existsSync(join(kept, "database", "PG_VERSION"))).toBe(true);
      expect(await second.sql("select count(*) as n from board")).toEqual([{ n: 15 }]);
      expect(second.mails).toEqual([]);
      expect(await second.sql("select version from supabase_migrations.schema_migrations")).toEqual(
        [{ version: "20260301000000" }],
      );
      await second.stop();

      // What was moved aside is complete: its database opens, and has the account.
      const old = await openPglite({ dataDir: join(kept, "database") });
      expect(await old.query("select email from auth.users")).toEqual([
        { email: "before@example.test" },
      ]);
      await old.close();

      progress.length = 0;
      await (await startServices(options)).stop();
      expect(progress).toEqual([]);
    },
  );

  it.runIf(isNightly)(
    "stays as it was when a migration fails, and reports the file and line",
    async () => {
      project = makeProject();
      const options = {
        project: project.folder,
        engine: { kind: "pglite" as const, dataDir: project.dataDir },
      };
      await (await startServices(options)).stop();
      project.addMigration(
        "20260102000000_broken.sql",
        "create table public.half (id int);\n\nselect nonsense from nowhere;",
      );
      await expect(startServices(options)).rejects.toThrow(MigrationFailed);
      await expect(startServices(options)).rejects.toThrow(
        /20260102000000_broken.sql could not be applied \(line 3\): relation "nowhere" does not exist/,
      );
      project.addMigration("20260102000000_broken.sql", "create table public.whole (id int);");
      const services = await startServices(options);
      expect(
        await services.sql("select to_regclass('half') as half, to_regclass('whole') as whole"),
      ).toEqual([{ half: null, whole: "whole" }]);
      await services.stop();
    },
  );
});

describe("a Postgres whose migrations have been replaced", () => {
  it("is refused with a message, and not changed", async () => {
    project = makeProject();
    const postgres = await startPostgres({ inMemory: true });
    try {
      const url = await postgres.createDatabase();
      const options = { project: project.folder, engine: { kind: "postgres" as const, url } };
      const first = await startServices(options);
      await first.member("stays@example.test");
      await first.stop();
      project.renameMigration("20260101000000_start.sql", "20260301000000_start.sql");
      await expect(startServices(options)).rejects.toThrow(MigrationFailed);
      await expect(startServices(options)).rejects.toThrow(
        /DATABASE_URL .* earlier version .*20260101000000.* Nothing in it was changed\. Use an empty database/,
      );
      project.renameMigration("20260301000000_start.sql", "20260101000000_start.sql");
      const again = await startServices(options);
      expect(await again.sql("select email from auth.users")).toEqual([
        { email: "stays@example.test" },
      ]);
      await again.stop();
    } finally {
      await postgres.stop();
    }
  });
});

describe("keys", () => {
  it("are created once, and readable only by their owner", () => {
    project = makeProject();
    const keys = readOrMakeKeys(project.folder);
    expect(readOrMakeKeys(project.folder)).toEqual(keys);
    expect(statSync(join(project.folder, "keys.json")).mode & 0o777).toBe(0o600);
    expect(keys.publishableKey).toMatch(/^sb_publishable_[\w-]{22}_[\w-]{8}$/);
    expect(new Set(Object.values(keys)).size).toBe(7);
  });

  it("of an older version are completed, not replaced", () => {
    project = makeProject();
    const { stripeSecretKey, stripeWebhookSecret, ...older } = readOrMakeKeys(project.folder);
    writeFileSync(join(project.folder, "keys.json"), JSON.stringify(older));
    const keys = readOrMakeKeys(project.folder);
    expect(keys).toMatchObject(older);
    expect(keys.stripeSecretKey).toMatch(/^sk_test_/);
    expect([keys.stripeSecretKey, keys.stripeWebhookSecret]).not.toContain(stripeSecretKey);
    expect(keys.stripeWebhookSecret).not.toBe(stripeWebhookSecret);
    expect(readOrMakeKeys(project.folder)).toEqual(keys);
  });

  it("that are damaged are reported in a sentence", () => {
    project = makeProject();
    writeFileSync(join(project.folder, "keys.json"), '{"jwtSecret": "abc');
    expect(() => readOrMakeKeys(project.folder)).toThrow(/keys\.json is damaged/);
  });
});
