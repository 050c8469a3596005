// Commands that use the app's own code import this first. It sets the app's environment: .env and
// the shell's or, when no hosted project is named, what `npm start` gave the app that runs here.
// Without either it exits with a message. It is compiled into each command, so that it finds files from
// the current folder, in which npm and scripts/command.mjs run every command.
import { readRunningApp } from "../local/running.mjs";
import { readEnvFile } from "./production.mjs";

readEnvFile(".env");

if (
  !["SUPABASE_URL", "SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY"].some(
    (name) => process.env[name],
  )
) {
  const env = readRunningApp(process.env.LOCAL_DATA ?? ".local");
  if (!env) {
    console.error(
      "No hosted project is named (see .env.example), and no dashboard runs here. Start it with `npm start`, " +
        "and try again in another window.",
    );
    process.exit(1);
  }
  Object.assign(process.env, env);
}
