import { describeHolder, takeLock } from "./lock.mjs";

/** Two processes on one database folder would lose each other's writes without a word. */
export class FolderInUse extends Error {
  override name = "FolderInUse";
}

/**
 * Takes the lock of a data folder, which lies beside it, and gives a function that gives it back.
 * Throws `FolderInUse`, which says by whom and what to do, when somebody else works on the folder.
 */
export function lockFolder(folder: string): () => void {
  const { release, holder } = takeLock(`${folder}.lock`);
  if (release) return release;
  throw new FolderInUse(
    `The data folder ${folder} is in use by ${describeHolder(holder)}. ` +
      "Only one may work on it at a time. Stop the other one first (Ctrl+C where it runs).",
  );
}
