import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

export interface KeptProgram {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Removed when the program has ended. */
  folder: string;
  /** How the program is told to end. */
  signal: NodeJS.Signals;
  uid?: number;
  gid?: number;
}

export interface KeptProcess {
  /** What the program printed so far, its last 20,000 characters. */
  output(): string;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** Starts a program that ends when we end, in whatever way, and leaves nothing behind. */
export function keepProcess(program: KeptProgram): KeptProcess {
  const keeper: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    process.execPath,
    [fileURLToPath(new URL("./keeper.mjs", import.meta.url)), JSON.stringify(program)],
    // A group of its own: Ctrl-C reaches us first, and the keeper ends by our end.
    { detached: true, stdio: ["pipe", "pipe", "pipe"] },
  );
  let output = "";
  for (const stream of [keeper.stdout, keeper.stderr]) {
    stream
      .setEncoding("utf8")
      .on("data", (text: string) => (output = (output + text).slice(-20_000)));
  }
  const ended = once(keeper, "exit");
  // It must not keep our process from ending.
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout, keeper.stderr])
    (stream as unknown as { unref(): void }).unref();

  return {
    output: () => output,
    hasEnded: () => keeper.exitCode !== null,
    async stop() {
      keeper.ref();
      keeper.stdin.end();
      await ended;
    },
  };
}
