import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

import { parse } from "smol-toml";

const EMAIL_KINDS = ["confirmation", "recovery", "email_change", "magic_link"] as const;
/** A kind of email of the auth service, by its name in config.toml. */
export type EmailKind = (typeof EMAIL_KINDS)[number];

interface EmailTemplate {
  subject: string;
  /** Absolute path of the HTML. */
  path: string;
}

/**
 * What the stand-in uses of `supabase/config.toml`; the rest is for the hosted project.
 */
export interface SupabaseConfig {
  jwtExpirySeconds: number;
  minimumPasswordLength: number;
  refreshTokenRotation: boolean;
  refreshTokenReuseSeconds: number;
  confirmations: boolean;
  /** Whether a change of address has to be confirmed from the old address as well. */
  doubleConfirmChanges: boolean;
  /** The shortest time between two emails of the same kind. */
  emailPauseSeconds: number;
  otpLength: number;
  otpExpirySeconds: number;
  /** Whether authenticator apps can be added, and their codes used. */
  totp: { enroll: boolean; verify: boolean };
  templates: Partial<Record<EmailKind, EmailTemplate>>;
}

type Table = Record<string, unknown>;

/**
 * Reads `supabase/config.toml`. A missing setting has the default of a hosted project. A file that
 * does not parse is an error that names the place.
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
  const totp = table(table(auth, "mfa"), "totp");

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
    totp: { enroll: flag(totp.enroll_enabled, true), verify: flag(totp.verify_enabled, true) },
    templates,
  };
}

function table(parent: Table, name: string): Table {
  const value = parent[name];
  return typeof value === "object" && value !== null ? (value as Table) : {};
}

function number(value: unknown, fallback: number): number {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : fallback;
}

function flag(value: unknown, fallback: boolean): boolean {
  return typeof value === "boolean" ? value : fallback;
}

const SECONDS_OF_UNIT: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** Parses a duration in Go's notation, such as `1m30s`. */
function seconds(value: unknown, fallback: number): number {
  if (typeof value !== "string") return fallback;
  let total = 0;
  for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (SECONDS_OF_UNIT[unit ?? ""] ?? 0);
  }
  return total;
}
