// Imported first by a command that works with the app's own code: gives it the app's environment. That
// is .env and the shell's; or, where no hosted project is named, what `npm start` gave the app that
// runs here now. Ends in words when there is neither.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { readRunning } from "../local/running.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
if (existsSync(join(root, ".env"))) process.loadEnvFile(join(root, ".env"));

if (
  !["SUPABASE_URL", "SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY"].some(
    (name) => process.env[name],
  )
) {
  const env = readRunning(process.env.LOCAL_DATA ?? join(root, ".local"));
  if (!env) {
    console.error(
      "No hosted project is named (see .env.example), and no dashboard runs here. Start it with `npm start`, " +
        "and try again in another window.",
    );
    process.exit(1);
  }
  Object.assign(process.env, env);
}
