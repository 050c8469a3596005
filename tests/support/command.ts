/** The commands of package.json that are scripts of ours, run as people run them. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs `scripts/<name>.ts` with this environment, whatever else stands in that of the tests. Gives all it said, and how it ended. */
export function runScript(
  name: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ said: string; code: number | null }> {
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", "tsx", `scripts/${name}.ts`, ...args], {
      cwd: root,
      // Without NODE_ENV, whatever the types say: nobody sets it for a command.
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
