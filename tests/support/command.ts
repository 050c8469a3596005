/** Runs the scripts of package.json as a user does. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Runs `scripts/<name>.ts` with this environment and nothing else from that of the tests.
 * @returns its output and exit code
 */
export function runScript(
  name: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ said: string; code: number | null }> {
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", "tsx", `scripts/${name}.ts`, ...args], {
      cwd: root,
      // Without NODE_ENV, which the types require: a user does not set it for a command.
      env: { PATH, HOME, TMPDIR, LOG_LEVEL: "error", ...env } as unknown as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ said, code }));
  });
}
