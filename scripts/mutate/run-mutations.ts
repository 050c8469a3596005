/**
 * `npm run mutate`: weakens each rule of the schema in turn (every policy, guard, grant, and check of a
 * function) in a copy, and runs the database tests that mention it. One of them must fail; a
 * weakening that none notices is printed as a survivor, and the command exits with 1. Takes hours, so it
 * is a nightly job and no part of `npm test`. Which test noticed a weakening is kept in
 * noticed-by.json, and goes first the next time.
 *
 *     npm run mutate                       all
 *     npm run mutate -- leads "policy"     those whose name contains one of these
 *     npm run mutate -- --rest             those that no test is known to notice: new ones, survivors,
 *                                          and what an interrupted run left
 */
import { fork, type ChildProcess } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import connect from "postgres";

import { projectFolder } from "../../local/project-folder";
import { startPostgresWithTemplate, TEMPLATE } from "../../tests/support/postgres-for-tests";

import { listMutations, type Mutation } from "./mutations";

/** What a worker is asked, and what it answers. */
export interface Task {
  sql: string;
  /** Run one after the other, until one notices. */
  steps: Step[];
}
export interface Step {
  files: string[];
  /** Only the tests whose names have one of these words; all, without it. */
  naming?: string[];
}
export interface Outcome {
  /** The test file that failed, and how; null when all passed. */
  noticed: { by: string; reason: string } | null;
  durations: Durations;
}
/** How long each file took that was run, in ms. */
type Durations = Record<string, number>;

const ENDED: Outcome = { noticed: { by: "", reason: "the process ended" }, durations: {} };

/** Which test file noticed each mutation, by its name: it goes first. One that is outdated costs time alone. */
const NOTICED_BY = join(projectFolder, "scripts", "mutate", "noticed-by.json");
const FOLDER = join(projectFolder, "tests", "database");
/** These ask about every object by the catalog, and never by name. */
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
  await sql.end();

  const { values, positionals: wanted } = parseArgs({
    options: { rest: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const noticedBy = await readNoticedBy();
  const mutations = all
    .filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
    .filter(({ name }) => !values.rest || !(name in noticedBy));
  const texts = await readTests();
  const workers = Array.from({ length: Math.max(2, availableParallelism()) }, startWorker);
  console.log(`${mutations.length} mutations, ${workers.length} at a time`);

  const intact = await Promise.all(
    workers.map((ask, at) => {
      const files = [...texts.keys()].filter((_, index) => index % workers.length === at);
      return ask({ sql: "", steps: [{ files }] });
    }),
  );
  const failed = intact.find(({ noticed }) => noticed !== null)?.noticed;
  if (failed) {
    console.error("The database tests fail with the schema as it is. Fix that first.");
    console.error(`${failed.by}: ${failed.reason}`);
    for (const worker of workers) await worker(null);
    return false;
  }
  const durations = Object.assign({}, ...intact.map((one) => one.durations)) as Durations;

  const survivors: string[] = [];
  const queue = [...mutations];
  let done = 0;
  await Promise.all(
    workers.map(async (ask) => {
      for (let mutation = queue.shift(); mutation; mutation = queue.shift()) {
        const steps = stepsAbout(mutation, texts, durations, noticedBy[mutation.name]);
        const { noticed } = await ask({ sql: mutation.sql, steps });
        done += 1;
        if (noticed) {
          noticedBy[mutation.name] = basename(noticed.by);
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
  return survivors.length === 0;
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
 * could notice.
 */
function stepsAbout(
  mutation: Mutation,
  texts: Map<string, string>,
  durations: Durations,
  before: string | undefined,
): Step[] {
  const files = testsAbout(mutation, texts, durations);
  const known = files.filter((file) => basename(file) === before);
  const general = files.filter((file) => ABOUT_EVERYTHING.includes(basename(file)));
  return [
    ...(known.length > 0 ? [{ files: known }] : []),
    { files: general, naming: mutation.about },
    { files },
  ];
}

/** Those come first that mention it most for the time they take: the first that notices ends the search. */
function testsAbout(
  { about }: Mutation,
  texts: Map<string, string>,
  durations: Durations,
): string[] {
  const isGeneral = (file: string) => ABOUT_EVERYTHING.includes(basename(file));
  const found = [...texts].map(([file, text]) => {
    const mentions = about.reduce((sum, name) => sum + text.split(name).length - 1, 0);
    const promise = Math.max(mentions, isGeneral(file) ? 1 : 0);
    return { file, promise, worth: promise / (durations[file] ?? 1) };
  });
  return found
    .filter(({ promise }) => promise > 0)
    .sort((one, other) => other.worth - one.worth)
    .map(({ file }) => file);
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
      // Ended while it had a task: the weakened schema was too much for it, which is noticing.
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
      NO_COLOR: "1",
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}
