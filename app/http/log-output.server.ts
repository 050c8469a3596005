import pino from "pino";

/** How many characters may wait while they can't be written. Later lines are lost. */
const MAX_WAITING = 1_000_000;
const RETRY_MS = 1_000;

interface LogOutput {
  destination: pino.DestinationStream;
  /** The system's code for why lines can't be written now, such as "ENOSPC" for a full disk; null while they can. */
  failure: () => string | null;
}

/**
 * Writes a log to a file descriptor, and survives its failures: a full disk, or a pipe that is
 * closed or that no one reads. (pino's own writer would end the process in the first case, and hang
 * in the second.) The lines wait, and are written when that is possible again.
 */
export function openLogOutput(fd: number): LogOutput {
  let failure: string | null = null;
  let retry: NodeJS.Timeout | undefined;
  const destination = pino.destination({
    fd,
    sync: true,
    maxLength: MAX_WAITING,
    retryEAGAIN: () => false,
  });
  destination.on("error", (error: NodeJS.ErrnoException) => {
    failure = error.code ?? error.name;
    clearTimeout(retry);
    // Writing an empty text flushes what is waiting. (flushSync would loop for as long as the disk
    // is full.)
    retry = setTimeout(() => destination.write(""), RETRY_MS).unref();
  });
  destination.on("write", () => (failure = null));
  return { destination, failure: () => failure };
}

let standardOutput: LogOutput | undefined;

/** Where the process's log goes: the standard output. */
export function logDestination(): pino.DestinationStream {
  standardOutput ??= openLogOutput(process.stdout.fd);
  return standardOutput.destination;
}

/** Says that the log can't be written at the moment, and what to do; null while it can. */
export function getLogWarning(): string | null {
  const failure = standardOutput?.failure() ?? null;
  if (failure === null) return null;
  return `The log can't be written (${failure}). Requests are still handled, but their log lines wait in memory and will be lost. Check the disk or the program that the log goes to.`;
}

/**
 * Keeps the process alive when other output than the log can't be written, because a disk is full
 * or nothing reads a pipe anymore. That output is lost, but no request is.
 */
export function surviveOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
