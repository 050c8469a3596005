import pino from "pino";

/** What waits while it can't be written, in characters. Later lines are lost. */
const MAX_WAITING = 1_000_000;
const RETRY_MS = 1_000;

interface LogOutput {
  destination: pino.DestinationStream;
  /** The system's code for why lines can't be written now, such as "ENOSPC" for a full disk; null while they can. */
  failure: () => string | null;
}

/**
 * A log's way to a file descriptor that no failure of it stops: a full disk, or a pipe that is closed or that no one
 * reads. (pino's own would end the process with the first, and wait in the second.) The lines wait, and are
 * written when that is possible again.
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
    // Writing nothing writes what waits. (Its flushSync would loop for as long as the disk is full.)
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

/** That the log can't be written at the moment, and what to do; null while it can. */
export function getLogWarning(): string | null {
  const failure = standardOutput?.failure() ?? null;
  if (failure === null) return null;
  return `The log can't be written (${failure}). Requests are still handled, but their log lines wait in memory and will be lost. Check the disk or the program that the log goes to.`;
}

/**
 * Keeps the process alive when what it prints besides the log can't be written, to a full disk or to a pipe that
 * nothing reads anymore: that is lost then, but no request is.
 */
export function surviveOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
