import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

import { parse } from "smol-toml";

export const EMAIL_KINDS = ["confirmation", "recovery", "email_change"] as const;
/** The e-mails that the product sends, by their names in config.toml. */
export type EmailKind = (typeof EMAIL_KINDS)[number];

export interface EmailTemplate {
  subject: string;
  /** Absolute path of the HTML. */
  path: string;
}

/**
 * What the stand-in takes from `supabase/config.toml`; the rest of it is for the hosted project.
 */
export interface SupabaseConfig {
  jwtExpirySeconds: number;
  minimumPasswordLength: number;
  refreshTokenRotation: boolean;
  refreshTokenReuseSeconds: number;
  confirmations: boolean;
  /** Whether a change of address has to be confirmed from the old address as well. */
  doubleConfirmChanges: boolean;
  /** How long after one e-mail the next of the same kind may be asked for. */
  emailPauseSeconds: number;
  otpLength: number;
  otpExpirySeconds: number;
  templates: Partial<Record<EmailKind, EmailTemplate>>;
}

type Table = Record<string, unknown>;

/**
 * Reads `config.toml` of a `supabase` folder. What it leaves out gets the value a hosted project
 * has by default. A file that does not parse is an error that says where.
 */
export async function readSupabaseConfig(projectFolder: string): Promise<SupabaseConfig> {
  const path = join(projectFolder, "supabase", "config.toml");
  const text = await readFile(path, "utf8").catch((problem: NodeJS.ErrnoException) => {
    if (problem.code === "ENOENT") return "";
    throw problem;
  });
  const auth = table(parse(text), "auth");
  const email = table(auth, "email");
  const template = table(email, "template");

  const templates: SupabaseConfig["templates"] = {};
  for (const kind of EMAIL_KINDS) {
    const { subject, content_path: contentPath } = table(template, kind);
    if (typeof subject !== "string" || typeof contentPath !== "string") continue;
    templates[kind] = {
      subject,
      path: isAbsolute(contentPath) ? contentPath : join(projectFolder, contentPath),
    };
  }

  return {
    jwtExpirySeconds: number(auth.jwt_expiry, 3600),
    minimumPasswordLength: number(auth.minimum_password_length, 6),
    refreshTokenRotation: flag(auth.enable_refresh_token_rotation, true),
    refreshTokenReuseSeconds: number(auth.refresh_token_reuse_interval, 10),
    confirmations: flag(email.enable_confirmations, true),
    doubleConfirmChanges: flag(email.double_confirm_changes, true),
    emailPauseSeconds: seconds(email.max_frequency, 60),
    otpLength: number(email.otp_length, 6),
    otpExpirySeconds: number(email.otp_expiry, 3600),
    templates,
  };
}

function table(parent: Table, name: string): Table {
  const value = parent[name];
  return typeof value === "object" && value !== null ? (value as Table) : {};
}

function number(value: unknown, otherwise: number): number {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : otherwise;
}

function flag(value: unknown, otherwise: boolean): boolean {
  return typeof value === "boolean" ? value : otherwise;
}

const SECONDS_OF_UNIT: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** Go's way to write a duration: `1s`, `1m30s`. */
function seconds(value: unknown, otherwise: number): number {
  if (typeof value !== "string") return otherwise;
  let total = 0;
  for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (SECONDS_OF_UNIT[unit ?? ""] ?? 0);
  }
  return total;
}
