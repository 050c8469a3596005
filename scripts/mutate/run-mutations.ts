/**
 * `npm run mutate`: weakens each rule of the schema in turn (every policy, guard, grant, and check
 * of a function) in a copy, and runs the database tests that could notice: those that call the
 * function, or mention the table. One of them must fail; a weakening that none notices is printed
 * as a survivor, and the command exits with 1, unless accepted.ts says why none can. An additional
 * grant only has to change the table in docs/security.md, which security-page.test.ts compares; no
 * test runs for it. Takes hours, so it is a nightly job and not part of `npm test`. Which test
 * noticed a weakening is kept in noticed-by.json, and goes first the next time.
 *
 *     npm run mutate                       all
 *     npm run mutate -- leads "policy"     those whose name contains one of these
 *     npm run mutate -- --rest             those that no test is known to notice and that are not accepted:
 *                                          new ones, survivors, and what an interrupted run left
 */
import { fork, type ChildProcess } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import connect, { type Sql } from "postgres";

import { projectFolder } from "../../local/project-folder";
import { startPostgresWithTemplate, TEMPLATE } from "../../tests/support/postgres-for-tests";
import { describePermissions } from "../schema/permissions";

import { ACCEPTED } from "./accepted";
import { listMutations, type Mutation } from "./mutations";

/** What a worker is asked, and what it answers. */
export interface Task {
  sql: string;
  /** Run one after the other, until one notices. */
  steps: Step[];
  /** Whether to list what each step calls. */
  listCalls?: boolean;
}
export interface Step {
  files: string[];
  /** Only the tests whose names have one of these words; all, without it. */
  naming?: string[];
}
export interface Outcome {
  /** The test file that failed, and how; null when all passed. */
  noticed: { by: string; reason: string } | null;
  runs: Runs;
}
/** How long each file took that was run, in ms, and the functions that its step called. */
type Runs = Record<string, { duration: number; called: string[] }>;

const ENDED: Outcome = { noticed: { by: "", reason: "the process ended" }, runs: {} };

/** Which test file noticed each mutation, by its name: it goes first. One that is outdated costs time alone. */
const NOTICED_BY = join(projectFolder, "scripts", "mutate", "noticed-by.json");
const FOLDER = join(projectFolder, "tests", "database");
/** These check every object through the catalog, and never by name. */
const ABOUT_EVERYTHING = [
  "security-page.test.ts",
  "schema.test.ts",
  "other-accounts.test.ts",
  "permissions.test.ts",
];
/** These check PGlite, the demo data, or crashes, and would be the same with any rule. */
const ABOUT_NOTHING = ["seed.test.ts", "interrupted-approval.test.ts", "hosted-project.test.ts"];

const postgres = await startPostgresWithTemplate();
try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  await postgres.stop();
}

async function main(): Promise<boolean> {
  const sql = connect(postgres.url.replace(/postgres$/, TEMPLATE), { max: 1, onnotice: () => {} });
  const all = await listMutations(sql);
  const untold = await listUntoldGrants(sql, all);
  await sql.end();

  const { values, positionals: wanted } = parseArgs({
    options: { rest: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const noticedBy = await readNoticedBy();
  const mutations = [...all.filter(({ isGrant }) => !isGrant), ...untold]
    .filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
    .filter(({ name }) => !values.rest || !(name in noticedBy || name in ACCEPTED));
  const texts = await readTests();
  const workers = Array.from({ length: Math.max(2, availableParallelism()) }, startWorker);
  console.log(`${mutations.length} mutations, ${workers.length} at a time`);

  // One file at a time, so that it is known which one calls what.
  await postgres.sql`alter system set track_functions = 'all'`;
  await postgres.sql`select pg_reload_conf()`;
  const needed = [...texts.keys()].filter((file) =>
    mutations.some(({ about }) => countMentions(file, about, texts) > 0),
  );
  const intact = await Promise.all(
    workers.map((ask, at) => {
      const files = needed.filter((_, index) => index % workers.length === at);
      return ask({ sql: "", steps: files.map((file) => ({ files: [file] })), listCalls: true });
    }),
  );
  const failed = intact.find(({ noticed }) => noticed !== null)?.noticed;
  if (failed) {
    console.error("The database tests fail with the schema as it is. Fix that first.");
    console.error(`${failed.by}: ${failed.reason}`);
    for (const worker of workers) await worker(null);
    return false;
  }
  const runs = Object.assign({}, ...intact.map((one) => one.runs)) as Runs;

  const survivors: string[] = [];
  const outdated = Object.keys(ACCEPTED).filter((name) => !all.some((one) => one.name === name));
  const queue = [...mutations];
  let done = 0;
  await Promise.all(
    workers.map(async (ask) => {
      for (let mutation = queue.shift(); mutation; mutation = queue.shift()) {
        const steps = stepsAbout(mutation, texts, runs, noticedBy[mutation.name]);
        const { noticed } = await ask({ sql: mutation.sql, steps });
        done += 1;
        if (noticed) {
          noticedBy[mutation.name] = basename(noticed.by);
          if (mutation.name in ACCEPTED) outdated.push(mutation.name);
        } else if (mutation.name in ACCEPTED) {
          console.log(`accepted  ${mutation.name}`);
        } else {
          delete noticedBy[mutation.name];
          survivors.push(mutation.name);
          console.log(`survived  ${mutation.name}`);
        }
        if (done % 20 === 0) {
          console.log(`${new Date().toISOString().slice(11, 16)}  ${done} of ${mutations.length}`);
          await writeNoticedBy(noticedBy);
        }
      }
      await ask(null);
    }),
  );
  await writeNoticedBy(noticedBy);
  console.log(`\n${mutations.length - survivors.length} noticed, ${survivors.length} survived`);
  for (const name of survivors.sort()) console.log(`  ${name}`);
  for (const name of outdated) console.log(`Remove from accepted.ts: ${name}`);
  return survivors.length + outdated.length === 0;
}

/** The grants that change nothing in what docs/security.md says of permissions. */
async function listUntoldGrants(sql: Sql, mutations: Mutation[]): Promise<Mutation[]> {
  const describe = (db: Sql) =>
    describePermissions((query, params = []) => db.unsafe(query, [...params] as never[]));
  const intact = await describe(sql);
  const untold: Mutation[] = [];
  for (const mutation of mutations.filter(({ isGrant }) => isGrant)) {
    await sql`begin`;
    await sql.unsafe(mutation.sql);
    if ((await describe(sql)) === intact) untold.push(mutation);
    await sql`rollback`;
  }
  return untold;
}

async function readNoticedBy(): Promise<Record<string, string>> {
  return JSON.parse(await readFile(NOTICED_BY, "utf8")) as Record<string, string>;
}

async function writeNoticedBy(noticedBy: Record<string, string>): Promise<void> {
  const sorted = Object.fromEntries(
    Object.entries(noticedBy).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  await writeFile(NOTICED_BY, `${JSON.stringify(sorted, null, 2)}\n`);
}

async function readTests(): Promise<Map<string, string>> {
  const names = (await readdir(FOLDER)).filter(
    (name) => name.endsWith(".test.ts") && !ABOUT_NOTHING.includes(name),
  );
  const texts = await Promise.all(names.map((name) => readFile(join(FOLDER, name), "utf8")));
  return new Map(names.map((name, at) => [join(FOLDER, name), texts[at]!]));
}

/**
 * First what noticed it before; then the tests about everything, as far as they name it; then all that
 * could notice. Of a function, these are the files that call or name it; where none does, no step is left.
 */
function stepsAbout(
  mutation: Mutation,
  texts: Map<string, string>,
  runs: Runs,
  before: string | undefined,
): Step[] {
  const files = testsAbout(mutation, texts, runs);
  const known = files.filter((file) => basename(file) === before);
  const general = files.filter((file) => ABOUT_EVERYTHING.includes(basename(file)));
  return [
    { files: known },
    { files: general, naming: mutation.about },
    { files: files.filter((file) => !known.includes(file)) },
  ].filter((step) => step.files.length > 0);
}

/**
 * The tests that mention it most for the time they take come first: the first one that notices ends
 * the search.
 */
function testsAbout(
  { about, runs: called, reachedBy = [] }: Mutation,
  texts: Map<string, string>,
  runs: Runs,
): string[] {
  const worth = (file: string) =>
    Math.max(countMentions(file, about, texts), 1) / (runs[file]?.duration ?? 1);
  const files = [...texts.keys()].sort((one, other) => worth(other) - worth(one));
  // Postgres doesn't count a call that is refused, also further in.
  const calling = files.filter(
    (file) =>
      called &&
      (runs[file]?.called.includes(called) ||
        reachedBy.some((name) => texts.get(file)!.includes(name))),
  );
  // One that always refuses, such as the trigger of a table that is append-only, is never counted.
  return calling.length > 0
    ? calling
    : files.filter((file) => countMentions(file, about, texts) > 0);
}

/** How often a test file mentions one of these names; the tests about everything do so at least once. */
function countMentions(file: string, names: string[], texts: Map<string, string>): number {
  const mentions = names.reduce((sum, name) => sum + texts.get(file)!.split(name).length - 1, 0);
  return Math.max(mentions, ABOUT_EVERYTHING.includes(basename(file)) ? 1 : 0);
}

/** A process with Vitest in it, and another one after it has ended. Ask it null to end it. */
function startWorker(): (task: Task | null) => Promise<Outcome> {
  let child = forkWorker();
  return (task) =>
    new Promise((resolve) => {
      if (hasEnded(child)) {
        if (!task) return resolve(ENDED);
        child = forkWorker();
      }
      // The process ended while it had a task. The weakened schema was too much for it, which
      // counts as noticing.
      const end = () => resolve(ENDED);
      child.once("exit", end);
      child.once("message", (outcome) => {
        child.off("exit", end);
        resolve(outcome as Outcome);
      });
      child.send({ task });
    });
}

function hasEnded({ connected, exitCode, signalCode }: ChildProcess): boolean {
  return !connected || exitCode !== null || signalCode !== null;
}

function forkWorker(): ChildProcess {
  return fork(fileURLToPath(new URL("./worker.ts", import.meta.url)), {
    cwd: projectFolder,
    env: {
      ...process.env,
      TEST_POSTGRES: postgres.url,
      TEST_TEMPLATE: TEMPLATE,
      // With the cases that the tests leave to the night, as this is.
      NIGHTLY: "1",
      NO_COLOR: "1",
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}
