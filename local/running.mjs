import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The file in which `npm start` stores the environment of the app, for the commands that a
 * scheduler would run.
 */
const fileIn = (/** @type {string} */ folder) => join(folder, "running.json");

/**
 * Stores the environment of the app that runs on a data folder; only its owner can read it.
 * @param {string} folder
 * @param {Record<string, string>} env
 */
export function storeRunningApp(folder, env) {
  mkdirSync(folder, { recursive: true });
  rmSync(fileIn(folder), { force: true });
  writeFileSync(fileIn(folder), `${JSON.stringify({ pid: process.pid, env }, null, 2)}\n`, {
    mode: 0o600,
  });
}

/**
 * Removes what this process stored, or a process that no longer exists.
 * @param {string} folder
 */
export function removeRunningApp(folder) {
  const pid = readStored(folder)?.pid;
  if (pid === process.pid || !isAlive(pid)) rmSync(fileIn(folder), { force: true });
}

/**
 * The environment of the app that runs on a data folder; undefined when none runs.
 * @param {string} folder
 * @returns {Record<string, string> | undefined}
 */
export function readRunningApp(folder) {
  const stored = readStored(folder);
  return isAlive(stored?.pid) ? stored?.env : undefined;
}

/**
 * @param {string} folder
 * @returns {{ pid: number, env: Record<string, string> } | undefined}
 */
function readStored(folder) {
  try {
    return JSON.parse(readFileSync(fileIn(folder), "utf8"));
  } catch {
    // There is none, or it is incomplete.
    return undefined;
  }
}

/** @param {number | undefined} pid */
function isAlive(pid) {
  if (!pid) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
