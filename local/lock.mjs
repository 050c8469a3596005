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
 * A lock file that one process holds at a time. The lock of a process that no longer exists (it was
 * killed, or the machine restarted) counts as free. This is plain JavaScript because scripts that
 * run before anything is installed use it too.
 *
 * @typedef {object} LockHolder
 * @property {number} pid
 * @property {string} since ISO 8601
 * @property {string | null} started distinguishes this process from a later one with the same id
 */

const ATTEMPTS = 3;

/**
 * Takes the lock, or returns the process that holds it; null when that is unknown.
 * @param {string} file
 * @returns {{ release: () => void, holder?: undefined } |
 *   { release?: undefined, holder: LockHolder | null }}
 */
export function takeLock(file) {
  mkdirSync(dirname(file), { recursive: true });
  const mine = `${file}.${process.pid}`;
  /** @type {LockHolder} */
  const self = {
    pid: process.pid,
    since: new Date().toISOString(),
    started: startTimeOf(process.pid),
  };
  writeFileSync(mine, JSON.stringify(self));
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      // A link appears with its content or not at all, and fails when the file exists.
      if (linked(mine, file)) return { release: () => release(file) };
      const seen = readIfThere(file);
      const holder = findHolder(file);
      if (holder) return { holder };
      if (seen !== undefined) setAside(file, seen);
    }
    return { holder: findHolder(file) };
  } finally {
    rmSync(mine, { force: true });
  }
}

/**
 * The process that holds a lock; null when none does.
 * @param {string} file
 * @returns {LockHolder | null}
 */
function findHolder(file) {
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
  // After a restart of the machine or the container, the id may belong to another process.
  if (holder.started !== null && startTimeOf(holder.pid) !== holder.started) return null;
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
 * Removes a lock that no process holds, unless another process has just taken it.
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
    // EPERM: the process exists, and belongs to another user.
    return problem.code === "EPERM";
  }
}

/**
 * When a process started, as Linux reports it; null on other systems.
 * @param {number} pid
 * @returns {string | null}
 */
function startTimeOf(pid) {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may contain spaces; the start time is the 20th field after it.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${boot}:${ticks}`;
  } catch {
    return null;
  }
}
