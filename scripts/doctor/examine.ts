import { setTimeout as wait } from "node:timers/promises";

import { ConfigurationError, readEnv } from "~/env.server";
import { redactSecrets } from "~/http/log.server";

import { authSettings } from "./auth-settings";
import type { Check, Config, Context, Machine } from "./context";
import { database } from "./database";
import { email } from "./email";
import { emailHook } from "./email-hook";
import { fine, wrong, type Finding } from "./finding";
import { google } from "./google";
import { links } from "./links";
import { machine as machineCheck } from "./machine";
import { clock, publicAddress } from "./public-address";
import { stripe } from "./stripe";
import { supabaseKeys } from "./supabase-keys";
import { upkeep } from "./upkeep";

/** What a check found. */
export interface Section {
  title: string;
  findings: Finding[];
}

const CHECKS: readonly Check[] = [
  supabaseKeys,
  database,
  upkeep,
  authSettings,
  email,
  emailHook,
  stripe,
  google,
  links,
  publicAddress,
  clock,
  machineCheck,
];
/** Requests have shorter limits of their own. With this, all checks end in under 15 seconds. */
const CHECK_TIMEOUT_MS = 13_000;

async function runCheck(check: Check, context: Context): Promise<Section> {
  const { title } = check;
  const ended = new AbortController();
  const timeout = wait(CHECK_TIMEOUT_MS, undefined, { signal: ended.signal }).then(
    () => {
      throw new Error("it took too long");
    },
    () => [],
  );
  try {
    return { title, findings: await Promise.race([check.run(context), timeout]) };
  } catch (error) {
    const reason = redactSecrets(error instanceof Error ? error.message : String(error));
    return {
      title,
      findings: [
        wrong(`This could not be checked: ${reason}`, "It may or may not work.", "Try again."),
      ],
    };
  } finally {
    ended.abort();
  }
}

/** The sentences about variables that are missing or of the wrong kind. */
function listErrors({ message }: ConfigurationError): string[] {
  return message.split("\n").flatMap((line) => /^ {2}- (.*)$/.exec(line)?.[1] ?? []);
}

function readConfig(source: Record<string, string | undefined>): {
  config: Config | null;
  section: Section;
} {
  const title = "Configuration";
  try {
    const config = readEnv({ ...source, NODE_ENV: "production" });
    return {
      config,
      section: { title, findings: [fine("Every variable is there, and of the right kind")] },
    };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const findings = listErrors(error).map((sentence) =>
      wrong(sentence, "The dashboard does not start.", ".env.example explains each variable."),
    );
    return { config: null, section: { title, findings } };
  }
}

/**
 * Examines an installation: reads its configuration and asks its services. Nothing is changed. With a
 * configuration that can't be read, only this machine is examined besides.
 * @param source environment variables by name
 */
export async function examine(
  source: Record<string, string | undefined>,
  { emailTo, machine }: { emailTo: string | null; machine: Machine },
): Promise<Section[]> {
  const { config, section } = readConfig(source);
  if (!config) {
    const rest = await machineCheck.run({ machine } as Context);
    return [section, { title: machineCheck.title, findings: rest }];
  }
  const accessToken = source["SUPABASE_ACCESS_TOKEN"] || null;
  const context: Context = { config, emailTo, accessToken, machine };
  return [section, ...(await Promise.all(CHECKS.map((check) => runCheck(check, context))))];
}
