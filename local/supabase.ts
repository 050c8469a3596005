import type { Server } from "node:net";
import { join } from "node:path";

import type { App } from "@supabase/lite";

import { databaseOf, isReady, mailsOf, makeFolder, moveAside } from "./data-folder";
import { EmailHookClient, type EmailHook } from "./email-hook";
import type { Engine, Row } from "./engine";
import { openPglite } from "./engine-pglite";
import { openPostgres, type PostgresDatabase } from "./engine-postgres";
import { lockFolder } from "./folder-lock";
import { makeGate } from "./gate";
import { makeKeys, type LocalKeys } from "./keys.mjs";
import { type Listener, listenOnLoopback } from "./listener";
import { Mailbox, type Mail } from "./mailbox";
import { findReplacedMigrations, MigrationFailed, readMigrations } from "./migrations";
import { projectFolder } from "./project-folder";
import { provision, type Provisioned, seedDemo } from "./provision";
import { Queue } from "./queue";
import { SchemaCache } from "./schema-cache";
import { migratedSnapshot } from "./snapshot";
import { makeStandIn, type StandInSettings } from "./stand-in";
import { readSupabaseConfig } from "./supabase-config";

export interface LocalSupabaseOptions {
  engine:
    | {
        kind: "pglite";
        /** The folder that stores the data; left out, it is in memory. */
        dataDir?: string;
        /** A migrated database to start from; left out, the one in `.cache/` is used or created. */
        snapshot?: Blob;
      }
    | ({ kind: "postgres" } & PostgresDatabase);
  /** A port number (0 or left out: any free one), or a server that already listens. */
  port?: number | Server;
  /** Origin of the app, for the links in emails. */
  siteUrl: string;
  /** "demo" fills a new database from `supabase/seed.sql`. */
  seed?: "demo" | "none";
  /** Left out, new keys that are valid while this runs. */
  keys?: Pick<LocalKeys, "jwtSecret" | "publishableKey" | "secretKey">;
  /** Has the app send the emails of the auth service; left out, they go straight to the mailbox. */
  emailHook?: EmailHook;
  /** The file that stores the emails; left out, it is in the data folder, if there is one. */
  mailsFile?: string;
  /** Receives sentences about what takes time or needs attention. */
  onProgress?: (text: string) => void;
  /** Receives what the stand-in would print to the console; left out, it is dropped. */
  onLog?: (line: string, ...rest: unknown[]) => void;
  /** Answers requests outside `/auth/v1` and `/rest/v1`; undefined means 404. */
  fallback?: (request: Request) => Promise<Response | undefined>;
  /** The folder that contains `supabase/`; left out, this repository. */
  project?: string;
}

export interface LocalSupabase {
  /** SUPABASE_URL, on 127.0.0.1. */
  url: string;
  publishableKey: string;
  secretKey: string;
  /** The secret that signs the access tokens, for tests that forge one. */
  jwtSecret: string;
  /** Every email sent, in order; the array grows. */
  mails: Mail[];
  /** Where the emails are stored; the local mail server adds its own. */
  mailbox: Pick<Mailbox, "send">;
  /** Answers a request to `url` in this process, without a network in between. */
  fetch(request: Request): Promise<Response>;
  /** Runs one statement as superuser, in the queue with everything else. */
  sql(query: string, params?: readonly unknown[]): Promise<Row[]>;
  /** Answers the accepted requests, closes the database and unlocks the folder. */
  stop(): Promise<void>;
}

/**
 * Starts a stand-in for a hosted Supabase project on 127.0.0.1: `/auth/v1` and `/rest/v1` over
 * PGlite or a Postgres, with the migrations, configuration and email templates of `supabase/`.
 *
 * A data folder whose database ran migrations that the project has since replaced is moved aside,
 * and a new one is created.
 *
 * @throws FolderInUse when another process uses the data folder, MigrationFailed with file and line
 *   when a migration fails, or when a Postgres ran migrations that have been replaced
 */
export async function startLocalSupabase(options: LocalSupabaseOptions): Promise<LocalSupabase> {
  const dataDir = options.engine.kind === "pglite" ? options.engine.dataDir : undefined;
  const unlock = dataDir ? lockFolder(dataDir) : () => undefined;
  try {
    return await start(options, dataDir, unlock);
  } catch (problem) {
    unlock();
    throw problem;
  }
}

async function start(
  options: LocalSupabaseOptions,
  dataDir: string | undefined,
  unlock: () => void,
): Promise<LocalSupabase> {
  const project = options.project ?? projectFolder;
  const keys = options.keys ?? makeKeys();
  const progress = options.onProgress ?? (() => undefined);

  const engine = await openCurrentEngine(options, dataDir, project);
  const inMemory = options.engine.kind === "pglite" && !dataDir;
  const mailsFile = options.mailsFile ?? (dataDir ? mailsOf(dataDir) : undefined);
  let listener: Listener | undefined;
  try {
    const settings: StandInSettings = {
      config: await readSupabaseConfig(project),
      keys,
      mailbox: new Mailbox(mailsFile ? { file: mailsFile } : {}),
      siteUrl: options.siteUrl,
      ...(options.emailHook
        ? { emailHook: new EmailHookClient(engine, options.siteUrl, options.emailHook) }
        : {}),
      ...(inMemory ? { schemaCache: await SchemaCache.of(project, engine.kind) } : {}),
    };
    const standIn = makeStandIn(engine, settings);
    // A database in memory is a snapshot, which is already provisioned.
    if (!inMemory) {
      const done = await provision(engine, standIn, project);
      report(done, progress);
      if (done.edited.length === 0) {
        standIn.connection.config.schemaCache = await SchemaCache.of(project, engine.kind);
      }
    }
    await engine.reloadConfig();
    if (!dataDir && options.seed === "demo") await seedDemo(engine, project);

    const queue = engine.concurrent ? undefined : new Queue();
    const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> =>
      queue ? queue.add(work) : work();
    const gate = makeGate({
      engine,
      standIn,
      settings,
      inTurn,
      log: options.onLog ?? (() => undefined),
      fallback: options.fallback ?? (async () => undefined),
    });
    listener = await listenOnLoopback(options.port ?? 0, gate);

    const opened = listener;
    let stopping: Promise<void> | undefined;
    return {
      url: opened.url,
      publishableKey: keys.publishableKey,
      secretKey: keys.secretKey,
      jwtSecret: keys.jwtSecret,
      mails: settings.mailbox.mails,
      mailbox: settings.mailbox,
      fetch: gate,
      sql: (query, params = []) =>
        inTurn(async () => {
          const rows = await engine.query(query, params);
          if (/^\s*(create|alter|drop)\b/i.test(query)) await reloadSchema(engine, standIn);
          return rows;
        }),
      stop() {
        stopping ??= (async () => {
          await opened.close();
          await queue?.drained();
          await engine.close();
          unlock();
        })();
        return stopping;
      },
    };
  } catch (problem) {
    await listener?.close();
    await engine.close();
    throw problem;
  }
}

/**
 * Opens the database, and creates its data folder first if needed. A database that ran migrations
 * that the project has since replaced cannot be brought up to date: a data folder is moved aside,
 * and a Postgres is left alone.
 */
async function openCurrentEngine(
  options: LocalSupabaseOptions,
  dataDir: string | undefined,
  project: string,
): Promise<Engine> {
  if (dataDir && !isReady(dataDir)) await makeDataFolder(dataDir, options, project);
  const engine = await openEngine(options, dataDir, project);
  let replaced: string[];
  try {
    // A database in memory is a snapshot of the current migrations.
    if (options.engine.kind === "pglite" && !dataDir) return engine;
    const migrations = await readMigrations(join(project, "supabase", "migrations"));
    replaced = await findReplacedMigrations(engine, migrations);
  } catch (problem) {
    await engine.close();
    throw problem;
  }
  if (replaced.length === 0) return engine;

  await engine.close();
  if (!dataDir) {
    throw new MigrationFailed(
      "The database that DATABASE_URL names was made by an earlier version of this project. It ran " +
        `migrations that have been replaced since (${replaced[0]} and later), so it cannot be brought ` +
        "up to date. Nothing in it was changed. Use an empty database instead.",
    );
  }
  const kept = await moveAside(dataDir);
  options.onProgress?.(
    `The local data is from an earlier version of this project. It was moved to ${kept}, and fresh data is being made`,
  );
  await makeDataFolder(dataDir, options, project);
  return openEngine(options, dataDir, project);
}

async function openEngine(
  options: LocalSupabaseOptions,
  dataDir: string | undefined,
  project: string,
): Promise<Engine> {
  if (options.engine.kind === "postgres") return openPostgres(options.engine);
  if (dataDir) return openPglite({ dataDir: databaseOf(dataDir) });
  return openPglite({ snapshot: options.engine.snapshot ?? (await migratedSnapshot(project)) });
}

/** The first start of a data folder: a migrated database, with the demo data if it is wanted. */
async function makeDataFolder(
  dataDir: string,
  options: LocalSupabaseOptions,
  project: string,
): Promise<void> {
  const given = options.engine.kind === "pglite" ? options.engine.snapshot : undefined;
  options.onProgress?.("Preparing the local database");
  const snapshot = given ?? (await migratedSnapshot(project));
  await makeFolder(dataDir, async (temporary) => {
    const engine = await openPglite({ dataDir: databaseOf(temporary), snapshot });
    try {
      if (options.seed === "demo") {
        options.onProgress?.("Filling in the demo data");
        await seedDemo(engine, project);
      }
    } finally {
      await engine.close();
    }
  });
}

/** Reads the schema again, as a hosted project does when it changes. */
async function reloadSchema(engine: Engine, standIn: App): Promise<void> {
  standIn.connection.config.schemaCache = SchemaCache.none();
  await standIn.connection.clearSchemaCache();
  await engine.reloadConfig();
}

function report(done: Provisioned, progress: (text: string) => void): void {
  if (done.applied.length > 0) progress(`Applied ${done.applied.join(", ")}`);
  if (done.edited.length > 0) {
    progress(
      `Changed since this data was made: ${done.edited.join(", ")}. ` +
        "`npm run reset` begins again with fresh demo data.",
    );
  }
}
