import { existsSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** @type {Record<string, string>} */
const PROBLEMS = {
  ENOSPC: "The disk is full",
  EDQUOT: "This account may not use more of the disk",
  EROFS: "The disk can't be written to",
  EACCES: "This account may not write there",
  EPERM: "This account may not write there",
};

/** With less than this, files of the local data can't grow. */
const ENOUGH_BYTES = 1_000_000;

/**
 * A sentence about a file that could not be written; undefined for any other error. This is plain
 * JavaScript because scripts that run before anything is installed use it too.
 * @param {unknown} error
 * @param {string} [folder] where files were written, for errors that don't say why they happened
 * @param {number} [enough] bytes with which a disk is not full
 */
export function describeDiskProblem(error, folder, enough = ENOUGH_BYTES) {
  const { code, path } = /** @type {NodeJS.ErrnoException} */ (error ?? {});
  const problem =
    PROBLEMS[code ?? ""] ??
    (folder && freeBytes(resolve(folder)) < enough ? PROBLEMS.ENOSPC : undefined);
  const place = path ?? folder;
  return problem && `${problem}${place ? ` (${place})` : ""}. Fix that, and try again.`;
}

/** @param {string} folder it, or one above it, exists */
function freeBytes(folder) {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  return bavail * bsize;
}
