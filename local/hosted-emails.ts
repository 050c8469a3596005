import { createHash, randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";

import type { Engine } from "./engine";
import { escapeHtml } from "./html";
import { sendAccountEmail, type StandInSettings } from "./stand-in";
import type { EmailKind, SupabaseConfig } from "./supabase-config";

/** What the emails of an account depend on. */
interface Account {
  id: string;
  email: string;
  confirmed: boolean;
  /** The new address, until it is confirmed. */
  newEmail: string | null;
  confirmationSentAt: string | null;
  recoverySentAt: string | null;
  emailChangeSentAt: string | null;
}

/**
 * The emails that the auth service of the stand-in does not send: a confirmation that is requested
 * again, and the second email of a change of address.
 */
export class HostedEmails {
  readonly #engine: Engine;
  readonly #settings: Pick<StandInSettings, "config" | "mailbox" | "emailHook" | "siteUrl">;

  constructor(
    engine: Engine,
    settings: Pick<StandInSettings, "config" | "mailbox" | "emailHook" | "siteUrl">,
  ) {
    this.#engine = engine;
    this.#settings = settings;
  }

  /** Finds the account of an address, which is in lower case. */
  async find(email: string): Promise<Account | undefined> {
    if (!email) return undefined;
    const [row] = await this.#engine.query(
      `select id, email, email_confirmed_at is not null as confirmed,
              nullif(email_change, '') as "newEmail",
              confirmation_sent_at as "confirmationSentAt",
              recovery_sent_at as "recoverySentAt",
              email_change_sent_at as "emailChangeSentAt"
         from auth.users
        where email = $1 and not is_sso_user`,
      [email],
    );
    return row as Account | undefined;
  }

  /** How many seconds have to pass before the next email of the same kind may be sent. */
  secondsUntilNext(sentAt: string | null): number {
    if (!sentAt) return 0;
    const elapsed = (Date.now() - Date.parse(sentAt)) / 1000;
    return Math.max(0, Math.ceil(this.#settings.config.emailPauseSeconds - elapsed));
  }

  /** Sends the confirmation of a sign-up again. The earlier link becomes invalid. */
  async sendConfirmation(account: Account): Promise<void> {
    const { token, hash } = this.#makeToken(account.email);
    await this.#engine.query(
      "update auth.users set confirmation_token = $2, confirmation_sent_at = now() where id = $1",
      [account.id, hash],
    );
    await this.#send("confirmation", account.email, account, token, hash);
  }

  /**
   * Sends the emails of a change of address: to both addresses, or to the new one when the stand-in
   * has already sent the other. Earlier confirmations become invalid.
   */
  async sendEmailChange(account: Account, to: "both" | "new address"): Promise<void> {
    if (!account.newEmail) return;
    const next = this.#makeToken(account.newEmail);
    await this.#engine.query(
      `update auth.users
          set email_change_token_new = $2, email_change_confirm_status = 0,
              email_change_sent_at = now()
        where id = $1`,
      [account.id, next.hash],
    );
    if (to === "both" && this.#settings.config.doubleConfirmChanges) {
      const current = this.#makeToken(account.email);
      await this.#engine.query(
        "update auth.users set email_change_token_current = $2 where id = $1",
        [account.id, current.hash],
      );
      await this.#send("email_change", account.email, account, current.token, current.hash);
    }
    await this.#send("email_change", account.newEmail, account, next.token, next.hash);
  }

  /** Makes all links invalid that are in mailboxes of the account, as its new password does. */
  async endLinks(account: string): Promise<void> {
    await this.#engine.query(
      `update auth.users
          set confirmation_token = '', confirmation_sent_at = null, recovery_token = '',
              recovery_sent_at = null, email_change_token_current = '', email_change_token_new = '',
              email_change_sent_at = null
        where id = $1`,
      [account],
    );
  }

  /** Whether the token in a request to `verify` confirms a sign-up. */
  async isConfirmation(fields: Record<string, unknown>): Promise<boolean> {
    const rows = await this.#engine.query("select from auth.users where confirmation_token = $1", [
      hashOf(fields),
    ]);
    return rows.length > 0;
  }

  /** Whether a link has this token. */
  async isToken(token: string): Promise<boolean> {
    const rows = await this.#engine.query(
      `select from auth.users where $1 in
         (confirmation_token, recovery_token, email_change_token_new, email_change_token_current)`,
      [token],
    );
    return rows.length > 0;
  }

  /**
   * Confirms a change of address from one of the two addresses. The first confirmation is stored.
   * For the second it returns the token with which the stand-in, which asks for one confirmation,
   * completes the change.
   */
  async confirmOneAddress(
    fields: Record<string, unknown>,
  ): Promise<"first of two" | "unknown" | { token_hash: string }> {
    const hash = hashOf(fields);
    const [row] = await this.#engine.query(
      `select id, email_change_confirm_status as status
         from auth.users
        where $1 in (email_change_token_current, email_change_token_new)
          and email_change_sent_at > now() - make_interval(secs => $2)`,
      [hash, this.#settings.config.otpExpirySeconds],
    );
    if (!row || hash === "") return "unknown";
    if (row.status === 0) {
      await this.#engine.query(
        `update auth.users
            set email_change_confirm_status = 1,
                email_change_token_current = nullif(email_change_token_current, $2),
                email_change_token_new = nullif(email_change_token_new, $2)
          where id = $1`,
        [row.id, hash],
      );
      return "first of two";
    }
    await this.#engine.query(
      `update auth.users
          set email_change_confirm_status = 0, email_change_token_current = $2,
              email_change_token_new = null
        where id = $1`,
      [row.id, hash],
    );
    return { token_hash: hash };
  }

  #makeToken(email: string): { token: string; hash: string } {
    const { otpLength } = this.#settings.config;
    const token = Array.from({ length: otpLength }, () => randomInt(10)).join("");
    return { token, hash: hashOf({ email, token }) };
  }

  async #send(
    kind: EmailKind,
    to: string,
    account: Account,
    token: string,
    hash: string,
  ): Promise<void> {
    const { config, siteUrl } = this.#settings;
    const { subject, html } = await renderEmail(config, kind, {
      SiteURL: siteUrl,
      Email: account.email,
      NewEmail: account.newEmail ?? "",
      Token: token,
      TokenHash: hash,
      RedirectTo: siteUrl,
    });
    sendAccountEmail(this.#settings, { to, subject, html });
  }
}

/** The hash of a token, as the stand-in stores it and puts it into links. */
export function hashOf(fields: Record<string, unknown>): string {
  const { token_hash: hash, email, token } = fields;
  if (typeof hash === "string" && hash !== "") return hash;
  if (typeof email !== "string" || typeof token !== "string") return "";
  return createHash("sha256")
    .update(email.toLowerCase() + token)
    .digest("hex");
}

/** The values that a template can use, such as `{{ .TokenHash }}`, as in the hosted service. */
interface TemplateValues {
  SiteURL: string;
  Email: string;
  NewEmail: string;
  Token: string;
  TokenHash: string;
  RedirectTo: string;
}

/** Renders the email template of `supabase/config.toml` for one kind. */
async function renderEmail(
  config: SupabaseConfig,
  kind: EmailKind,
  values: TemplateValues,
): Promise<{ subject: string; html: string }> {
  const template = config.templates[kind];
  if (!template) {
    throw new Error(
      `supabase/config.toml names no template for "${kind}" emails: ` +
        `set subject and content_path under [auth.email.template.${kind}].`,
    );
  }
  const html = await readFile(template.path, "utf8");
  return {
    subject: fill(template.subject, values, (value) => value),
    html: fill(html, values, escapeHtml),
  };
}

function fill(text: string, values: TemplateValues, encode: (value: string) => string): string {
  return text.replace(/\{\{\s*\.(\w+)\s*\}\}/g, (whole, name: string) =>
    name in values ? encode(values[name as keyof TemplateValues]) : whole,
  );
}
