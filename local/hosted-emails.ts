import { createHash, randomInt } from "node:crypto";

import { renderEmail } from "./email-templates";
import type { Engine } from "./engine";
import type { StandInSettings } from "./stand-in";
import type { EmailKind } from "./supabase-config";

/** What the e-mails of an account depend on. */
export interface Account {
  id: string;
  email: string;
  confirmed: boolean;
  /** The address a change is under way to. */
  newEmail: string | null;
  confirmationSentAt: string | null;
  recoverySentAt: string | null;
  emailChangeSentAt: string | null;
}

/**
 * The e-mails that the stand-in's auth service does not send: a confirmation that is asked for
 * again, and the second half of a change of address.
 */
export class HostedEmails {
  readonly #engine: Engine;
  readonly #settings: Pick<StandInSettings, "config" | "mailbox" | "siteUrl">;

  constructor(engine: Engine, settings: Pick<StandInSettings, "config" | "mailbox" | "siteUrl">) {
    this.#engine = engine;
    this.#settings = settings;
  }

  /** The account of an address in lower case. */
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

  /** Seconds until another e-mail of a kind may be sent, when the last was sent then. */
  pauseAfter(sentAt: string | null): number {
    if (!sentAt) return 0;
    const elapsed = (Date.now() - Date.parse(sentAt)) / 1000;
    return Math.max(0, Math.ceil(this.#settings.config.emailPauseSeconds - elapsed));
  }

  /** Sends the confirmation of a sign-up again; the link of the one before ends. */
  async sendConfirmation(account: Account): Promise<void> {
    const { token, hash } = this.#makeToken(account.email);
    await this.#engine.query(
      "update auth.users set confirmation_token = $2, confirmation_sent_at = now() where id = $1",
      [account.id, hash],
    );
    await this.#send("confirmation", account.email, account, token, hash);
  }

  /**
   * Makes a link that signs in, and sends nothing. It takes the place of a link for a new password.
   */
  async makeSignInLink(account: Account): Promise<string> {
    const { hash } = this.#makeToken(account.email);
    await this.#engine.query(
      "update auth.users set recovery_token = $2, recovery_sent_at = now() where id = $1",
      [account.id, hash],
    );
    return hash;
  }

  /**
   * Sends the e-mails of a change of address: to both mailboxes, or to the new one when the
   * stand-in has written to the old one. Confirmations made so far count no more.
   */
  async sendEmailChange(account: Account, to: "both" | "new mailbox"): Promise<void> {
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
      const present = this.#makeToken(account.email);
      await this.#engine.query(
        "update auth.users set email_change_token_current = $2 where id = $1",
        [account.id, present.hash],
      );
      await this.#send("email_change", account.email, account, present.token, present.hash);
    }
    await this.#send("email_change", account.newEmail, account, next.token, next.hash);
  }

  /** Whether what was sent to `verify` belongs to the confirmation of a sign-up. */
  async isConfirmation(fields: Record<string, unknown>): Promise<boolean> {
    const rows = await this.#engine.query("select from auth.users where confirmation_token = $1", [
      hashOf(fields),
    ]);
    return rows.length > 0;
  }

  /**
   * Takes the confirmation of a change of address from one of the two mailboxes. The first is
   * noted. For the second it gives what makes the stand-in, which asks for the old mailbox alone,
   * finish the change.
   */
  async confirmOneMailbox(
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
    const { config, mailbox, siteUrl } = this.#settings;
    const { subject, html } = await renderEmail(config, kind, {
      SiteURL: siteUrl,
      Email: account.email,
      NewEmail: account.newEmail ?? "",
      Token: token,
      TokenHash: hash,
      RedirectTo: siteUrl,
    });
    mailbox.send({ to, subject, html });
  }
}

/** The hash that stands for a code in the database and in links, as the stand-in makes it. */
function hashOf(fields: Record<string, unknown>): string {
  const { token_hash: hash, email, token } = fields;
  if (typeof hash === "string" && hash !== "") return hash;
  if (typeof email !== "string" || typeof token !== "string") return "";
  return createHash("sha256")
    .update(email.toLowerCase() + token)
    .digest("hex");
}
