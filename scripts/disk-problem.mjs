/** @type {Record<string, string>} */
const PROBLEMS = {
  ENOSPC: "The disk is full",
  EDQUOT: "This account may not use more of the disk",
  EROFS: "The disk can't be written to",
  EACCES: "This account may not write there",
  EPERM: "This account may not write there",
};

/**
 * A sentence about a file that could not be written; undefined for any other error.
 * @param {unknown} error
 */
export function describeDiskProblem(error) {
  const { code, path } = /** @type {NodeJS.ErrnoException} */ (error ?? {});
  const problem = PROBLEMS[code ?? ""];
  return problem && `${problem}${path ? ` (${path})` : ""}. Fix that, and try again.`;
}
