import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

import { Webhook } from "standardwebhooks";

import { authError } from "./auth-error";
import type { Engine } from "./engine";
import { linksOf } from "./html";

/** Asks the app to send an email, as the hosted auth service does by its Send Email Hook. */
export interface EmailHook {
  /** The address of the app that sends the emails. */
  url: string;
  /** As the hosted service shows it: `v1,whsec_…`. */
  secret: string;
  /** Left out, `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** An email as the stand-in would send it. */
interface RenderedEmail {
  to: string;
  subject: string;
  html?: string;
  text?: string;
}

/** The request that the hosted service sends. */
interface HookRequest {
  user: { id: string; email: string; new_email?: string };
  email_data: {
    token: string;
    token_hash: string;
    redirect_to: string;
    email_action_type: string;
    site_url: string;
    token_new: string;
    token_hash_new: string;
  };
}

/** The hosted service waits this long, in all. */
const DEADLINE_MS = 5_000;

/** The kind of email that a link of our templates is for; an email without such a link says how to sign in. */
const ACTION_TYPES: Readonly<Record<string, string>> = {
  email: "signup",
  recovery: "recovery",
  email_change: "email_change",
};

/**
 * Has the app send the emails of the auth service. They are collected while a request is handled, and asked for
 * afterwards: the app uses the same database, which handles one request at a time. The hosted service asks within
 * its transaction, and undoes it when the hook fails; here a sign-up is undone, and so is a link that replaces an
 * earlier one. What else was done stays.
 */
export class EmailHookClient {
  readonly #engine: Engine;
  readonly #siteUrl: string;
  readonly #hook: EmailHook;
  readonly #collected = new AsyncLocalStorage<RenderedEmail[]>();

  constructor(engine: Engine, siteUrl: string, hook: EmailHook) {
    this.#engine = engine;
    this.#siteUrl = siteUrl;
    this.#hook = hook;
  }

  /** Takes an email that would be sent. False outside of a request: then no one asks for it. */
  take(email: RenderedEmail): boolean {
    const collected = this.#collected.getStore();
    collected?.push(email);
    return collected !== undefined;
  }

  /**
   * Handles a request, and asks for the emails that it sends.
   * @param path of the request
   * @param inTurn uses the database, when it is free for it
   * @returns the response, or that of the hosted service when the hook fails
   */
  async handle(
    path: string,
    work: () => Promise<Response>,
    inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>,
  ): Promise<Response> {
    const emails: RenderedEmail[] = [];
    const links = /^\/auth\/v1\/(signup|resend|recover|otp|magiclink|user)$/.test(path)
      ? await inTurn(() => this.#readLinks())
      : [];
    const response = await this.#collected.run(emails, work);
    if (emails.length === 0) return response;
    for (const request of await inTurn(() => this.#toRequests(emails))) {
      const failure = await this.#ask(request);
      if (!failure) continue;
      const { user, email_data: about } = request;
      const earlier = links.find(({ id }) => id === user.id);
      if (about.email_action_type === "signup" && !earlier)
        await inTurn(() => this.#undoSignUp(user.id));
      else if (about.email_action_type === "email_change")
        await inTurn(() => this.#restoreChange(user.id, earlier));
      else await inTurn(() => this.#restoreLinks(user.id, earlier));
      return failure;
    }
    return response;
  }

  async #undoSignUp(user: string): Promise<void> {
    await this.#engine.query(
      "delete from auth.users where id = $1 and email_confirmed_at is null",
      [user],
    );
  }

  /** The links that are in mailboxes, of each account that isn't confirmed, or asked for a new password or address. */
  #readLinks(): Promise<Record<string, unknown>[]> {
    return this.#engine.query(
      `select id, recovery_token, recovery_sent_at, confirmation_token, confirmation_sent_at, email_change,
         email_change_sent_at, email_change_token_new, email_change_token_current, email_change_confirm_status
         from auth.users
        where email_confirmed_at is null or recovery_sent_at is not null or email_change <> ''`,
    );
  }

  async #restoreLinks(user: string, earlier: Record<string, unknown> = {}): Promise<void> {
    await this.#engine.query(
      `update auth.users set recovery_token = $2, recovery_sent_at = $3, confirmation_token = $4,
         confirmation_sent_at = $5 where id = $1`,
      [
        user,
        earlier["recovery_token"] ?? "",
        earlier["recovery_sent_at"] ?? null,
        earlier["confirmation_token"] ?? "",
        earlier["confirmation_sent_at"] ?? null,
      ],
    );
  }

  async #restoreChange(user: string, earlier: Record<string, unknown> = {}): Promise<void> {
    await this.#engine.query(
      `update auth.users set email_change = $2, email_change_sent_at = $3, email_change_token_new = $4,
         email_change_token_current = $5, email_change_confirm_status = $6 where id = $1`,
      [
        user,
        earlier["email_change"] ?? "",
        earlier["email_change_sent_at"] ?? null,
        earlier["email_change_token_new"] ?? "",
        earlier["email_change_token_current"] ?? "",
        earlier["email_change_confirm_status"] ?? 0,
      ],
    );
  }

  /** One request for each account, also for the two emails of a change of address. */
  async #toRequests(emails: RenderedEmail[]): Promise<HookRequest[]> {
    const requests = new Map<string, HookRequest>();
    for (const { to, html = "" } of emails) {
      const link = linksOf(html).find((one) => one.includes("token_hash="));
      const params = link ? new URL(link).searchParams : new URLSearchParams();
      const type = ACTION_TYPES[params.get("type") ?? ""] ?? "magiclink";
      const [user] = await this.#engine.query(
        `select id, email, nullif(email_change, '') as new_email from auth.users
          where email = $1 or email_change = $1
          order by $2 in (email_change_token_new, email_change_token_current) desc, email = $1 desc limit 1`,
        [to.toLowerCase(), params.get("token_hash") ?? ""],
      );
      if (!user) continue;
      const { id, email, new_email } = user as { id: string; email: string; new_email: string };
      const request = requests.get(id) ?? {
        user: { id, email, ...(new_email ? { new_email } : {}) },
        email_data: {
          token: "",
          token_hash: "",
          redirect_to: this.#siteUrl,
          email_action_type: type,
          site_url: this.#siteUrl,
          token_new: "",
          token_hash_new: "",
        },
      };
      const isCurrent = type === "email_change" && to.toLowerCase() === email;
      request.email_data[isCurrent ? "token_hash_new" : "token_hash"] =
        params.get("token_hash") ?? "";
      requests.set(id, request);
    }
    return [...requests.values()];
  }

  /** Null when the app will send the email. */
  async #ask(content: HookRequest): Promise<Response | null> {
    const body = JSON.stringify(content);
    const id = randomUUID();
    const now = new Date();
    const request = new Request(this.#hook.url, {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
        "webhook-signature": new Webhook(this.#hook.secret.replace("v1,", "")).sign(id, now, body),
      },
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    try {
      const answer = await (this.#hook.fetch ?? fetch)(request);
      if (answer.status === 204) return null;
      if (!answer.ok)
        return authError(500, "unexpected_failure", `Unexpected status code: ${answer.status}`);
      const type = answer.headers.get("Content-Type") ?? "";
      if (/^application\/json\s*(;|$)/.test(type)) return refusalIn(await answer.json());
      return authError(
        400,
        "hook_payload_invalid_content_type",
        `Invalid JSON response. Received content-type: ${type}`,
      );
    } catch (problem) {
      return (problem as Error).name === "TimeoutError"
        ? authError(
            422,
            "hook_timeout",
            "Failed to reach hook within maximum time of 5.000000 seconds",
          )
        : authError(422, "hook_timeout_after_retry", "Failed to reach hook after maximum retries");
    }
  }
}

/** The response to an `error` in the answer of the hook; null when there is none. */
function refusalIn(answer: unknown): Response | null {
  const { error } = answer as { error?: { http_code?: number; message?: string } };
  return error ? authError(error.http_code ?? 500, "unknown", error.message ?? "") : null;
}
