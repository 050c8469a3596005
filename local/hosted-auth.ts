import type { Engine } from "./engine";
import { HostedEmails } from "./hosted-emails";
import { Queue } from "./queue";
import type { StandInSettings } from "./stand-in";

/** Makes the request again, whole, with another body or address. */
export type Whole = (changes?: { url?: string; body?: string }) => Request;
type Pass = (request: Request) => Promise<Response>;
type Fields = Record<string, unknown>;

interface Call {
  whole: Whole;
  fields: Fields;
  url: URL;
  pass: Pass;
}

/**
 * A thin layer over the stand-in's auth service, for the places where it differs from the hosted
 * one in something a user of the app would notice:
 *
 * - sign-up of a known address is answered like that of an unknown one (and sends the confirmation
 *   again when it was never confirmed);
 * - a wrong password is "invalid credentials" also before the address is confirmed;
 * - a refresh token may be used again within the reuse interval, by however many tabs;
 * - a new address is confirmed from both mailboxes when `double_confirm_changes` is set;
 * - `resend` sends, and e-mails of one kind keep the pause of `max_frequency`;
 * - a new password ends all other sessions;
 * - `logout` without a scope ends all sessions;
 * - `admin/generate_link` makes sign-in links for whoever holds the secret key;
 * - `verify` takes the type `email`; an error of a trigger comes in the hosted form.
 *
 * Each is held to what the hosted service (GoTrue) does, its error codes included.
 */
export function actLikeHostedAuth(options: {
  engine: Engine;
  settings: Pick<StandInSettings, "config" | "keys" | "mailbox" | "siteUrl">;
}): (whole: Whole, body: Uint8Array | undefined, pass: Pass) => Promise<Response> {
  const { engine, settings } = options;
  const emails = new HostedEmails(engine, settings);
  const { config } = settings;
  const refreshes = new Queue();

  const routes: Record<string, (call: Call) => Promise<Response>> = {
    "POST /auth/v1/signup": signUp,
    "POST /auth/v1/token": token,
    "POST /auth/v1/recover": recover,
    "POST /auth/v1/resend": resend,
    "POST /auth/v1/verify": verify,
    "GET /auth/v1/verify": async () =>
      refusal(404, "not_found", "Links in e-mails lead to the app, which confirms them here."),
    "PUT /auth/v1/user": updateUser,
    "POST /auth/v1/logout": logOut,
    "POST /auth/v1/admin/generate_link": generateLink,
  };

  return async (whole, body, pass) => {
    const request = whole();
    const url = new URL(request.url);
    const route = routes[`${request.method} ${url.pathname}`];
    const response = await (route
      ? route({ whole, fields: parseFields(body), url, pass })
      : pass(request));
    if (response.status !== 500) return response;
    return refusal(500, "unexpected_failure", "Database error saving or reading the user");
  };

  async function signUp({ whole, fields, pass }: Call): Promise<Response> {
    const response = await pass(whole());
    // With confirmations on, the stand-in says this of a known address and of nothing else.
    if ((await errorCode(response)) !== "over_email_send_rate_limit") return response;

    const email = text(fields.email).toLowerCase();
    const user = await emails.find(email);
    if (user && !user.confirmed) {
      const wait = emails.pauseAfter(user.confirmationSentAt);
      if (wait > 0) return tooSoon(wait);
      await emails.sendConfirmation(user);
    }
    return Response.json(invented(email, fields.data));
  }

  async function token({ whole, fields, url, pass }: Call): Promise<Response> {
    if (url.searchParams.get("grant_type") === "refresh_token") {
      // One at a time: between the old token's end and the new one's beginning a second request
      // would find none at all, which the hosted service prevents with a row lock.
      return refreshes.add(async () => {
        const current = await reusable(text(fields.refresh_token));
        if (!current) return pass(whole());
        return pass(whole({ body: JSON.stringify({ ...fields, refresh_token: current }) }));
      });
    }
    const response = await pass(whole());
    if ((await errorCode(response)) !== "email_not_confirmed") return response;
    const [row] = await engine.query(
      // The two marks name one algorithm; pgcrypto knows it by the older.
      `select extensions.crypt($1, '$2a$' || substr(encrypted_password, 5))
                = '$2a$' || substr(encrypted_password, 5) as right
         from auth.users where email = $2`,
      [text(fields.password), text(fields.email).toLowerCase()],
    );
    if (row?.right === true) return response;
    return refusal(400, "invalid_credentials", "Invalid login credentials");
  }

  /**
   * The token to use instead of one that was used up a moment ago: the one before the session's
   * present one, for which the stand-in gives the present one again.
   */
  async function reusable(refreshToken: string): Promise<string | undefined> {
    const [row] = await engine.query(
      `select present.parent
         from auth.refresh_tokens used
         join auth.refresh_tokens present
           on present.session_id = used.session_id and not present.revoked
        where used.token = $1
          and used.revoked
          and used.updated_at > now() - make_interval(secs => $2)
          and present.parent <> used.token
        order by present.created_at desc
        limit 1`,
      [refreshToken, config.refreshTokenReuseSeconds],
    );
    return typeof row?.parent === "string" ? row.parent : undefined;
  }

  async function recover({ whole, fields, pass }: Call): Promise<Response> {
    const user = await emails.find(text(fields.email).toLowerCase());
    const wait = user ? emails.pauseAfter(user.recoverySentAt) : 0;
    return wait > 0 ? tooSoon(wait) : pass(whole());
  }

  async function resend({ whole, fields, pass }: Call): Promise<Response> {
    const type = text(fields.type);
    const email = text(fields.email).toLowerCase();
    const user = await emails.find(email);
    if (type === "signup" && user && !user.confirmed) {
      const wait = emails.pauseAfter(user.confirmationSentAt);
      if (wait > 0) return tooSoon(wait);
      await emails.sendConfirmation(user);
      return Response.json({});
    }
    if (type === "email_change" && user?.newEmail) {
      const wait = emails.pauseAfter(user.emailChangeSentAt);
      if (wait > 0) return tooSoon(wait);
      await emails.sendEmailChange(user, "both");
      return Response.json({});
    }
    return pass(whole());
  }

  async function verify({ whole, fields, pass }: Call): Promise<Response> {
    const type = text(fields.type);
    if (type === "email") {
      const signup = await emails.isConfirmation(fields);
      const body = JSON.stringify({ ...fields, type: signup ? "signup" : "magiclink" });
      return pass(whole({ body }));
    }
    if (type === "email_change" && config.doubleConfirmChanges) {
      const step = await emails.confirmOneMailbox(fields);
      if (step === "first of two") {
        return Response.json({
          msg: "Confirmation link accepted. Please proceed to confirm link sent to the other email",
          code: 200,
        });
      }
      if (step !== "unknown") return pass(whole({ body: JSON.stringify({ ...fields, ...step }) }));
    }
    return pass(whole());
  }

  async function generateLink({ whole, fields }: Call): Promise<Response> {
    if (whole().headers.get("authorization") !== `Bearer ${settings.keys.secretKey}`)
      return refusal(401, "no_authorization", "This endpoint requires a valid Bearer token");
    if (fields.type !== "magiclink")
      return refusal(
        400,
        "validation_failed",
        "The stand-in makes links of the type magiclink alone.",
      );
    const user = await emails.find(text(fields.email).toLowerCase());
    if (!user) return refusal(404, "user_not_found", "User with this email not found");
    const hash = await emails.makeSignInLink(user);
    return Response.json({
      id: user.id,
      email: user.email,
      hashed_token: hash,
      verification_type: "magiclink",
      redirect_to: settings.siteUrl,
    });
  }

  async function updateUser({ whole, fields, url, pass }: Call): Promise<Response> {
    const me = await pass(
      new Request(new URL("/auth/v1/user", url), { headers: bodyless(whole().headers) }),
    );
    if (!me.ok) return pass(whole());
    const { id, email } = (await me.json()) as { id: string; email: string };
    const newEmail = text(fields.email).toLowerCase();
    const changesEmail = newEmail !== "" && newEmail !== email.toLowerCase();
    if (changesEmail) {
      const before = await emails.find(email);
      const wait = before ? emails.pauseAfter(before.emailChangeSentAt) : 0;
      if (wait > 0) return tooSoon(wait);
    }

    const response = await pass(whole());
    if (!response.ok) return response;
    if (changesEmail && config.doubleConfirmChanges) {
      const user = await emails.find(email);
      if (user) await emails.sendEmailChange(user, "new mailbox");
    }
    if (typeof fields.password === "string") {
      await engine.query("delete from auth.sessions where user_id = $1 and id <> $2", [
        id,
        sessionOf(whole().headers),
      ]);
    }
    return response;
  }

  async function logOut({ whole, fields, url, pass }: Call): Promise<Response> {
    if (!url.searchParams.has("scope") && fields.scope === undefined) {
      url.searchParams.set("scope", "global");
    }
    return pass(whole({ url: url.href }));
  }
}

/**
 * What the hosted service answers for an address it will not speak of: a user made up on the spot.
 */
function invented(email: string, data: unknown): Fields {
  const now = new Date().toISOString();
  const id = crypto.randomUUID();
  return {
    id,
    aud: "authenticated",
    role: "authenticated",
    email,
    phone: "",
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: {
      ...(typeof data === "object" ? data : {}),
      email,
      email_verified: false,
      phone_verified: false,
      sub: id,
    },
    identities: [],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
    confirmation_sent_at: now,
  };
}

function tooSoon(seconds: number): Response {
  return refusal(
    429,
    "over_email_send_rate_limit",
    `For security purposes, you can only request this after ${seconds} seconds.`,
  );
}

function refusal(status: number, code: string, msg: string): Response {
  return Response.json(
    { code: status, error_code: code, msg },
    { status, headers: { "X-Sb-Error-Code": code } },
  );
}

async function errorCode(response: Response): Promise<string | undefined> {
  if (response.ok) return undefined;
  const { error_code: code } = (await response.clone().json()) as { error_code?: string };
  return code;
}

function parseFields(body: Uint8Array | undefined): Fields {
  if (!body) return {};
  try {
    const fields: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    return typeof fields === "object" && fields !== null ? (fields as Fields) : {};
  } catch {
    // The stand-in says what is wrong with it.
    return {};
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function bodyless(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete("content-type");
  return copy;
}

/** The session of an access token that has been accepted already. */
function sessionOf(headers: Headers): string {
  const payload = headers.get("authorization")?.split(".")[1] ?? "";
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as {
    session_id: string;
  };
  return claims.session_id;
}
