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

/**
 * A lock file that one process holds at a time. A lock whose process is no more (killed, machine
 * restarted) counts as free. Plain JavaScript, since scripts that run before anything is installed
 * use it too.
 *
 * @typedef {object} LockHolder
 * @property {number} pid
 * @property {string} since ISO 8601
 * @property {string | null} started what tells this process from a later one with the same number
 */

const ATTEMPTS = 3;

/**
 * Takes the lock, or tells who holds it.
 * @param {string} file
 * @returns {{ release: () => void, holder?: undefined } | { release?: undefined, holder: LockHolder | null }}
 */
export function takeLock(file) {
  mkdirSync(dirname(file), { recursive: true });
  const mine = `${file}.${process.pid}`;
  /** @type {LockHolder} */
  const self = {
    pid: process.pid,
    since: new Date().toISOString(),
    started: startOf(process.pid),
  };
  writeFileSync(mine, JSON.stringify(self));
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      // A link appears with its content or not at all, and fails when there is one.
      if (linked(mine, file)) return { release: () => release(file) };
      const seen = readIfThere(file);
      const holder = holderOf(file);
      if (holder) return { holder };
      if (seen !== undefined) setAside(file, seen);
    }
    return { holder: holderOf(file) };
  } finally {
    rmSync(mine, { force: true });
  }
}

/**
 * The process that holds a lock, or null when nobody does.
 * @param {string} file
 * @returns {LockHolder | null}
 */
export function holderOf(file) {
  const text = readIfThere(file);
  if (text === undefined) return null;
  /** @type {LockHolder} */
  let holder;
  try {
    holder = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Number.isInteger(holder.pid) || !isAlive(holder.pid)) return null;
  // After a restart of the machine or the container the number may belong to somebody else.
  if (holder.started !== null && startOf(holder.pid) !== holder.started) return null;
  return holder;
}

/**
 * @param {LockHolder | null} holder
 * @returns {string}
 */
export function describeHolder(holder) {
  if (!holder) return "another process";
  const since = new Date(holder.since).toLocaleTimeString("en-US", { timeStyle: "short" });
  return `process ${holder.pid}, since ${since}`;
}

/**
 * @param {string} from
 * @param {string} to
 */
function linked(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (problem) {
    if (problem.code === "EEXIST") return false;
    throw problem;
  }
}

/**
 * Moves a lock nobody holds out of the way, unless somebody else was quicker and holds it now.
 * @param {string} file
 * @param {string} seen
 */
function setAside(file, seen) {
  const aside = `${file}.${process.pid}.old`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (readFileSync(aside, "utf8") !== seen && !existsSync(file)) linked(aside, file);
  rmSync(aside, { force: true });
}

/** @param {string} file */
function release(file) {
  const text = readIfThere(file);
  if (text === undefined) return;
  if (JSON.parse(text).pid === process.pid) rmSync(file, { force: true });
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (problem) {
    if (problem.code === "ENOENT") return undefined;
    throw problem;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (problem) {
    // EPERM: it lives, and belongs to another user.
    return problem.code === "EPERM";
  }
}

/**
 * The moment a process began, as Linux tells it; null where that cannot be asked.
 * @param {number} pid
 * @returns {string | null}
 */
function startOf(pid) {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold spaces; the start time is the 20th field after it.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${boot}:${ticks}`;
  } catch {
    return null;
  }
}
