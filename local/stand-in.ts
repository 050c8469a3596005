import { App } from "@supabase/lite";

import type { LocalKeys } from "./keys.mjs";
import type { Engine } from "./engine";
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
  /** Left out, what the data API has read of the schema stays in memory. */
  schemaCache?: SchemaStorage;
  /** Origin of the app, for the links in emails. */
  siteUrl: string;
}

/**
 * Creates the stand-in for Supabase: Supabase's own TypeScript server over a database, configured
 * by `supabase/config.toml` like the hosted project.
 */
export function makeStandIn(engine: Engine, settings: StandInSettings): App {
  const { config, keys, mailbox, siteUrl } = settings;
  const connection = engine.connection;

  // By default, the first request grants ALL on every table to every role, which undoes each REVOKE
  // of the migrations. "active" means that row level security is on and the roles exist.
  Object.assign(connection, { rlsState: "active" });
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
      server: { admin: false, disableStudio: true },
      drivers: {
        ...(settings.schemaCache ? { cache: settings.schemaCache } : {}),
        email: {
          async send({ to, subject, html, text }) {
            // With our templates, the plain text of the server does not match the HTML.
            mailbox.send({ to, subject, ...(html ? { html } : text ? { text } : {}) });
          },
        },
      },
    },
  });
}
