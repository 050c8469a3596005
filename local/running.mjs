import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where a local start notes what it gave the app, for the commands that a scheduler would call. */
const fileIn = (/** @type {string} */ folder) => join(folder, "running.json");

/**
 * Notes the environment of the app that runs on a folder's data; readable by their owner only.
 * @param {string} folder
 * @param {Record<string, string>} env
 */
export function noteRunning(folder, env) {
  mkdirSync(folder, { recursive: true });
  rmSync(fileIn(folder), { force: true });
  writeFileSync(fileIn(folder), `${JSON.stringify({ pid: process.pid, env }, null, 2)}\n`, {
    mode: 0o600,
  });
}

/**
 * Forgets what this process noted; what another one did stays, unless that one is gone.
 * @param {string} folder
 */
export function forgetRunning(folder) {
  const pid = noteIn(folder)?.pid;
  if (pid === process.pid || !isAlive(pid)) rmSync(fileIn(folder), { force: true });
}

/**
 * The environment of the app that runs on a folder's data; undefined when none does.
 * @param {string} folder
 * @returns {Record<string, string> | undefined}
 */
export function readRunning(folder) {
  const note = noteIn(folder);
  return isAlive(note?.pid) ? note?.env : undefined;
}

/**
 * @param {string} folder
 * @returns {{ pid: number, env: Record<string, string> } | undefined}
 */
function noteIn(folder) {
  try {
    return JSON.parse(readFileSync(fileIn(folder), "utf8"));
  } catch {
    // None, or half of one.
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
