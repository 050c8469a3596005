import type { readEnv } from "~/env.server";

import type { Finding } from "./finding";

/** The configuration that is checked. It need not be that of this process. */
export type Config = ReturnType<typeof readEnv>;

/** What is known about the machine that the doctor runs on. */
export interface Machine {
  nodeVersion: string;
  /** The oldest version that the dashboard runs on. */
  minNodeVersion: string;
  /** The disk of the current folder; null when the system does not say. */
  disk: { freeBytes: number; totalBytes: number } | null;
}

/** What the checks work on. */
export interface Context {
  config: Config;
  /** Where to send a test email; null to send none. */
  emailTo: string | null;
  /** With which the project's owner may ask Supabase for its settings; null without. */
  accessToken: string | null;
  machine: Machine;
}

/** A check reads and asks, and changes nothing. What it throws is reported as a fault of its own. */
export interface Check {
  title: string;
  run(context: Context): Promise<Finding[]>;
}

/** Whether a URL leads to this machine, as in a try-out. */
export const isOnThisMachine = (url: string): boolean =>
  ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);

/** Whether the local start runs the services: then their settings are those of this repository. */
export const isLocalStart = ({ localMailboxUrl }: Config): boolean => localMailboxUrl !== null;

/** The project's id at Supabase; null for an auth service of one's own, or at a domain of one's own. */
export const findProject = ({ supabaseUrl }: Config): string | null =>
  /^([a-z0-9-]+)\.supabase\.co$/.exec(new URL(supabaseUrl).hostname)?.[1] ?? null;

/**
 * The address of a page of the project's dashboard at Supabase, such as `auth/templates`. For an auth
 * service of one's own, the file that has its settings.
 */
export function findSupabasePage(config: Config, page: string): string {
  const project = findProject(config);
  return project
    ? `https://supabase.com/dashboard/project/${project}/${page}`
    : "supabase/config.toml, or the settings of your own auth service";
}
