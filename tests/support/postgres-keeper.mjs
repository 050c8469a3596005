/**
 * Runs one Postgres for as long as its parent lives. The parent holds the other end of our stdin;
 * however it ends (done, Ctrl-C, kill -9) that end closes, and then the server is stopped and its
 * folder removed. Without a keeper a killed test run leaves servers behind.
 *
 * argv: JSON { postgres, args, folder, uid, gid, env }
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";

const { postgres, args, folder, uid, gid, env } = JSON.parse(process.argv[2]);

const server = spawn(postgres, args, { uid, gid, env, stdio: ["ignore", "inherit", "inherit"] });

// SIGQUIT is Postgres' immediate shutdown: nothing in the folder needs to survive.
const end = () => server.kill("SIGQUIT");
process.stdin.on("end", end).on("error", end).resume();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, end);
// Whoever reads our output may be gone before we are.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

const leave = (code) => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 0);
};
server.on("exit", leave);
server.on("error", () => leave(1));
