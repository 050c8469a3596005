import { App } from "@supabase/lite";

import type { LocalKeys } from "./keys.mjs";
import type { EmailHookClient } from "./email-hook";
import type { Engine } from "./engine";
import { announceAtOnce } from "./joined-opening";
import type { Mailbox } from "./mailbox";
import { formatErrorsLikePostgrest } from "./postgrest-errors";
import type { SupabaseConfig } from "./supabase-config";

/** Stores what the data API has read of the schema, as text. */
export interface SchemaStorage {
  get(): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(): Promise<void>;
}

/** The settings of a stand-in. */
export interface StandInSettings {
  config: SupabaseConfig;
  keys: Pick<LocalKeys, "jwtSecret" | "publishableKey" | "secretKey">;
  mailbox: Mailbox;
  /** Has the app send the emails; left out, they go to the mailbox as the templates make them. */
  emailHook?: EmailHookClient;
  /** Left out, what the data API has read of the schema stays in memory. */
  schemaCache?: SchemaStorage;
  /** Origin of the app, for the links in emails. */
  siteUrl: string;
}

/** Sends an email of the auth service: by the app, or straight to the mailbox. */
export function sendAccountEmail(
  { mailbox, emailHook }: Pick<StandInSettings, "mailbox" | "emailHook">,
  email: { to: string; subject: string; html?: string; text?: string },
): void {
  if (!emailHook?.take(email)) mailbox.send(email);
}

/** What the stand-in stores about a request, as far as it is needed here. */
interface Visit {
  req: { path: string; header(name: string): string | undefined };
  set(name: "userId" | "sessionId", value: string): void;
}

/**
 * Spares the data API what it would drop: the stand-in looks up the account and the session of each token, and verifies
 * it, before the data API verifies it again and takes what it says, as the hosted one does. These stand for what is
 * looked up, until then.
 */
async function withoutLookups(visit: Visit, next: () => Promise<void>): Promise<void> {
  const [, token = ""] = /^Bearer (\S+)$/.exec(visit.req.header("Authorization") ?? "") ?? [];
  const isVerified = /^[^.]+\.[^.]+\.[^.]+$/.test(token) && !token.startsWith("sb_");
  if (isVerified && visit.req.path.startsWith("/rest/v1/")) {
    visit.set("userId", "of the token");
    visit.set("sessionId", "of the token");
  }
  await next();
}

/**
 * Creates the stand-in for Supabase: Supabase's own TypeScript server over a database, configured
 * by `supabase/config.toml` like the hosted project.
 */
export function makeStandIn(engine: Engine, settings: StandInSettings): App {
  const { config, keys, siteUrl } = settings;
  const connection = engine.connection;

  // By default, the first request grants ALL on every table to every role, which undoes each REVOKE
  // of the migrations. "active" means that row level security is on and the roles exist.
  Object.assign(connection, { rlsState: "active" });
  announceAtOnce(connection);
  formatErrorsLikePostgrest(connection);

  const template: Record<string, { subject: string; content_path: string }> = {};
  for (const [kind, { subject, path }] of Object.entries(config.templates)) {
    template[kind] = { subject, content_path: path };
  }

  return new App({
    connection,
    auth: {
      enabled: true,
      jwt_secret: keys.jwtSecret,
      publishable_key: keys.publishableKey,
      secret_key: keys.secretKey,
      site_url: siteUrl,
      additional_redirect_urls: [],
      jwt_expiry: config.jwtExpirySeconds,
      minimum_password_length: config.minimumPasswordLength,
      enable_refresh_token_rotation: config.refreshTokenRotation,
      refresh_token_reuse_interval: config.refreshTokenReuseSeconds,
      email: {
        enable_signup: true,
        enable_confirmations: config.confirmations,
        double_confirm_changes: config.doubleConfirmChanges,
        otp_length: config.otpLength,
        otp_expiry: config.otpExpirySeconds,
        template,
      },
    },
    options: {
      server: { admin: false, disableStudio: true, middlewares: [withoutLookups] },
      drivers: {
        ...(settings.schemaCache ? { cache: settings.schemaCache } : {}),
        email: {
          async send({ to, subject, html, text }) {
            // With our templates, the plain text of the server does not match the HTML.
            sendAccountEmail(settings, {
              to,
              subject,
              ...(html ? { html } : text ? { text } : {}),
            });
          },
        },
      },
    },
  });
}
