import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

import { describeHolder, holderOf, lockFileOf, selfAsHolder } from "./lock-holder.mjs";

/** Two processes on one database folder would lose each other's writes without a word. */
export class FolderInUse extends Error {
  override name = "FolderInUse";
}

/**
 * Takes the one lock of a data folder. Gives a function that gives it back.
 *
 * A lock left by a process that is no more (killed, machine restarted) is taken over. A lock that
 * is held is a `FolderInUse` error that says by whom and what to do.
 */
export function lockFolder(folder: string): () => void {
  const file = lockFileOf(folder);
  mkdirSync(dirname(file), { recursive: true });
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(selfAsHolder()));
  try {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      // A link appears with its content or not at all, and fails when there is one.
      if (linked(mine, file)) return () => release(file);
      const seen = readFileSync(file, "utf8");
      const holder = holderOf(folder);
      if (holder) throw inUse(folder, holder);
      setAside(file, seen);
    }
    throw inUse(folder, holderOf(folder));
  } finally {
    rmSync(mine, { force: true });
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw problem;
  }
}

/** Moves a lock nobody holds out of the way, unless somebody else was quicker and holds it now. */
function setAside(file: string, seen: string): void {
  const aside = `${file}.${process.pid}.old`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (readFileSync(aside, "utf8") !== seen && !existsSync(file)) linked(aside, file);
  rmSync(aside, { force: true });
}

function release(file: string): void {
  try {
    const { pid } = JSON.parse(readFileSync(file, "utf8")) as { pid: number };
    if (pid === process.pid) rmSync(file, { force: true });
  } catch {
    // Gone already, which is what was wanted.
  }
}

function inUse(folder: string, holder: Parameters<typeof describeHolder>[0]): FolderInUse {
  return new FolderInUse(
    `The data folder ${folder} is in use by ${describeHolder(holder)}. ` +
      "Only one may work on it at a time. Stop the other one first (Ctrl+C where it runs).",
  );
}
