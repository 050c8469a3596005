import { describeHolder, takeLock } from "./lock.mjs";

/** Two processes that write to one data folder would silently lose writes. */
export class FolderInUse extends Error {
  override name = "FolderInUse";
}

/**
 * Locks a data folder with a lock file beside it. Returns a function that unlocks it.
 * @throws FolderInUse when another process has locked the folder; the message says which, and what
 *   to do
 */
export function lockFolder(folder: string): () => void {
  const { release, holder } = takeLock(`${folder}.lock`);
  if (release) return release;
  throw new FolderInUse(
    `The data folder ${folder} is in use by ${describeHolder(holder)}. ` +
      "Only one may work on it at a time. Stop the other one first (Ctrl+C where it runs).",
  );
}
