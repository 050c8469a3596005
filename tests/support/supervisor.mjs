/**
 * Runs one program for as long as its parent process lives. The parent holds the other end of our
 * stdin. However the parent ends (normally, Ctrl+C, kill -9), that end closes; then this process
 * stops the program and removes its folders. Without it, a killed test run leaves servers behind.
 *
 * argv: JSON { command, args, folders, signal, uid, gid }. The program gets our environment, which no
 * list of processes shows.
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";

const { command, args, folders, signal, uid, gid } = JSON.parse(process.argv[2]);

const program = spawn(command, args, { uid, gid, stdio: ["ignore", "inherit", "inherit"] });

const end = () => program.kill(signal);
process.stdin.on("end", end).on("error", end).resume();
for (const sent of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(sent, end);
// The reader of our output may be gone before we are.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

const leave = (code) => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 0);
};
program.on("exit", leave);
program.on("error", () => leave(1));
