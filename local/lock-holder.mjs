import { readFileSync } from "node:fs";

/**
 * Who holds the lock of a data folder. Plain JavaScript, since `npm run reset`, which runs without
 * a compiler, asks the same question.
 *
 * @typedef {object} LockHolder
 * @property {number} pid
 * @property {string} since ISO 8601
 * @property {string | null} started what tells this process from a later one with the same number
 */

/**
 * Where the lock of a folder lies: beside it, since the folder itself is made and removed under it.
 * @param {string} folder
 * @returns {string}
 */
export function lockFileOf(folder) {
  return `${folder}.lock`;
}

/** @returns {LockHolder} */
export function selfAsHolder() {
  return {
    pid: process.pid,
    since: new Date().toISOString(),
    started: startOf(process.pid),
  };
}

/**
 * The process that holds the lock of a folder, or null when nobody does, which includes a lock
 * whose process is no more.
 * @param {string} folder
 * @returns {LockHolder | null}
 */
export function holderOf(folder) {
  /** @type {LockHolder} */
  let holder;
  try {
    holder = JSON.parse(readFileSync(lockFileOf(folder), "utf8"));
  } catch (problem) {
    if (problem.code === "ENOENT" || problem instanceof SyntaxError) return null;
    throw problem;
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
