// Commands that use the app's own code import this first. It sets the app's environment: .env and
// the shell's or, when no hosted project is named, what `npm start` gave the app that runs here.
// Without either it exits with a message.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { readRunningApp } from "../local/running.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
if (existsSync(join(root, ".env"))) process.loadEnvFile(join(root, ".env"));

if (
  !["SUPABASE_URL", "SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY"].some(
    (name) => process.env[name],
  )
) {
  const env = readRunningApp(process.env.LOCAL_DATA ?? join(root, ".local"));
  if (!env) {
    console.error(
      "No hosted project is named (see .env.example), and no dashboard runs here. Start it with `npm start`, " +
        "and try again in another window.",
    );
    process.exit(1);
  }
  Object.assign(process.env, env);
}
