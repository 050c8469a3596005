import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

interface ProgramOptions {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Removed when the program has ended. */
  folders: string[];
  /** The signal that stops the program. */
  signal: NodeJS.Signals;
  uid?: number;
  gid?: number;
}

export interface ChildProgram {
  /** The last 20,000 characters of what the program printed. */
  output(): string;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** Starts a program that ends when this process ends, however that happens. */
export function startChild({ env, ...program }: ProgramOptions): ChildProgram {
  const supervisor: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    process.execPath,
    [fileURLToPath(new URL("./supervisor.mjs", import.meta.url)), JSON.stringify(program)],
    // In a process group of its own: Ctrl+C reaches this process first, and ends the other through it.
    { env, detached: true, stdio: ["pipe", "pipe", "pipe"] },
  );
  let output = "";
  for (const stream of [supervisor.stdout, supervisor.stderr]) {
    stream
      .setEncoding("utf8")
      .on("data", (text: string) => (output = (output + text).slice(-20_000)));
  }
  const ended = once(supervisor, "exit");
  // It must not keep this process from ending.
  supervisor.unref();
  for (const stream of [supervisor.stdin, supervisor.stdout, supervisor.stderr])
    (stream as unknown as { unref(): void }).unref();

  return {
    output: () => output,
    hasEnded: () => supervisor.exitCode !== null,
    async stop() {
      supervisor.ref();
      supervisor.stdin.end();
      await ended;
    },
  };
}
