import { authError } from "./auth-error";
import type { Engine } from "./engine";
import { HostedAdmin } from "./hosted-admin";
import { HostedEmails } from "./hosted-emails";
import { HostedFactors } from "./hosted-factors";
import { refuseAlways, refuseLinking, refuseUserChange } from "./hosted-refusals";
import { Queue } from "./queue";
import type { StandInSettings } from "./stand-in";

/** Rebuilds the original request, with another URL or body. */
type Rebuild = (changes?: { url?: string; body?: string }) => Request;
/** Passes a request on to the stand-in. */
type Forward = (request: Request) => Promise<Response>;
type Fields = Record<string, unknown>;

interface Call {
  rebuild: Rebuild;
  fields: Fields;
  url: URL;
  forward: Forward;
}

/** Anything shorter is not in the form of a refresh token. */
const SHORTEST_TOKEN = 12;

/**
 * A thin layer over the auth service of the stand-in, for the differences from the hosted service
 * that a user of the app would notice:
 *
 * - the sign-up of a known address is answered much like that of an unknown one (and sends the
 *   confirmation again when the address was never confirmed);
 * - a wrong password is "invalid credentials" even before the address is confirmed;
 * - a refresh token can be used again within the reuse interval, by any number of tabs, and no longer once its session's
 *   end has come;
 * - a new address is confirmed from both addresses when `double_confirm_changes` is set;
 * - `resend` sends, and emails of one kind keep the interval of `max_frequency`;
 * - a new password ends all other sessions, and the links in emails that were sent before;
 * - `logout` without a scope ends all sessions;
 * - a link with an unknown token leads to the site, with the reason;
 * - `verify` accepts the type `email`; an error of a trigger has the hosted form;
 * - a second factor can be added and asked for (hosted-factors.ts);
 * - the secret key can create and delete accounts, and make links (hosted-admin.ts);
 * - what the project does not offer is refused in its words (hosted-refusals.ts).
 *
 * Each behaves like the hosted service (GoTrue), including its error codes.
 */
export function emulateHostedAuth(options: {
  engine: Engine;
  settings: Pick<StandInSettings, "config" | "keys" | "mailbox" | "emailHook" | "siteUrl">;
}): (rebuild: Rebuild, body: Uint8Array | undefined, forward: Forward) => Promise<Response> {
  const { engine, settings } = options;
  const emails = new HostedEmails(engine, settings);
  const factors = new HostedFactors(engine, settings);
  const admin = new HostedAdmin(engine, settings, emails);
  const { config } = settings;
  const refreshes = new Queue();

  const routes: Record<string, (call: Call) => Promise<Response>> = {
    "POST /auth/v1/signup": signUp,
    "POST /auth/v1/token": token,
    "POST /auth/v1/recover": recover,
    "POST /auth/v1/resend": resend,
    "POST /auth/v1/verify": verify,
    "GET /auth/v1/verify": followLink,
    "PUT /auth/v1/user": updateUser,
    "POST /auth/v1/logout": logOut,
    "GET /auth/v1/user/identities/authorize": linkAccount,
  };

  return async (rebuild, body, forward) => {
    const request = rebuild();
    const url = new URL(request.url);
    const fields = parseFields(body);
    const refusal = refuseAlways({ method: request.method, url, fields, size: body?.length ?? 0 });
    if (refusal) return refusal;
    const route = routes[`${request.method} ${url.pathname}`];
    const response = route
      ? await route({ rebuild, fields, url, forward })
      : ((await admin.answer({ request, fields, forward })) ??
        (await factors.answer({
          request,
          fields,
          forward,
          refresh: (used) => redeemRefreshToken(used, request.headers, url, forward),
        })) ??
        (await forward(request)));
    if (response.status !== 500) return factors.complete(response, startMethod(url));
    return authError(500, "unexpected_failure", "Database error saving or reading the user");
  };

  async function signUp({ rebuild, fields, forward }: Call): Promise<Response> {
    const response = await forward(rebuild());
    // With confirmations on, the stand-in answers this for a known address only.
    if ((await errorCode(response)) !== "over_email_send_rate_limit") return response;

    const email = text(fields.email).toLowerCase();
    const user = await emails.find(email);
    if (user && !user.confirmed) {
      const wait = emails.secondsUntilNext(user.confirmationSentAt);
      if (wait > 0) return rateLimited(wait);
      await emails.sendConfirmation(user);
      // The hosted service answers with the stored account, not with what was sent now.
      const [stored] = await engine.query(
        "select raw_user_meta_data as metadata from auth.users where id = $1",
        [user.id],
      );
      return Response.json({
        ...fakeUser(email, {}),
        id: user.id,
        role: "authenticated",
        user_metadata: stored?.metadata,
      });
    }
    return Response.json(fakeUser(email, fields.data));
  }

  async function token({ rebuild, fields, url, forward }: Call): Promise<Response> {
    if (url.searchParams.get("grant_type") === "refresh_token") {
      // One at a time: between the end of the old token and the start of the new one, a second
      // request would find no token. The hosted service prevents that with a row lock.
      return refreshes.add(async () => {
        const used = text(fields.refresh_token);
        const current = await currentTokenOf(used);
        if (!current && used.length >= SHORTEST_TOKEN && !(await isRefreshToken(used)))
          return authError(
            400,
            "refresh_token_not_found",
            "Invalid Refresh Token: Refresh Token Not Found",
          );
        if (await hasSessionEnded(current ?? used))
          return authError(400, "session_expired", "Invalid Refresh Token: Session Expired");
        if (!current) return forward(rebuild());
        return forward(rebuild({ body: JSON.stringify({ ...fields, refresh_token: current }) }));
      });
    }
    const response = await forward(rebuild());
    if ((await errorCode(response)) !== "email_not_confirmed") return response;
    const [row] = await engine.query(
      // The two prefixes mean the same algorithm; pgcrypto knows the older one.
      `select extensions.crypt($1, '$2a$' || substr(encrypted_password, 5))
                = '$2a$' || substr(encrypted_password, 5) as right
         from auth.users where email = $2`,
      [text(fields.password), text(fields.email).toLowerCase()],
    );
    if (row?.right === true) return response;
    return authError(400, "invalid_credentials", "Invalid login credentials");
  }

  /**
   * The token to use in place of one that was used a moment ago: the predecessor of the session's
   * current token, for which the stand-in returns the current one again.
   */
  async function currentTokenOf(refreshToken: string): Promise<string | undefined> {
    const [row] = await engine.query(
      `select latest.parent
         from auth.refresh_tokens used
         join auth.refresh_tokens latest
           on latest.session_id = used.session_id and not latest.revoked
        where used.token = $1
          and used.revoked
          and used.updated_at > now() - make_interval(secs => $2)
          and latest.parent <> used.token
        order by latest.created_at desc
        limit 1`,
      [refreshToken, config.refreshTokenReuseSeconds],
    );
    return typeof row?.parent === "string" ? row.parent : undefined;
  }

  async function isRefreshToken(token: string): Promise<boolean> {
    const rows = await engine.query("select from auth.refresh_tokens where token = $1", [token]);
    return rows.length > 0;
  }

  async function hasSessionEnded(token: string): Promise<boolean> {
    const rows = await engine.query(
      `select from auth.refresh_tokens t join auth.sessions s on s.id = t.session_id
        where t.token = $1 and s.not_after < now()`,
      [token],
    );
    return rows.length > 0;
  }

  /** The tokens that follow a session's current refresh token. */
  function redeemRefreshToken(
    refreshToken: string,
    headers: Headers,
    url: URL,
    forward: Forward,
  ): Promise<Response> {
    const target = new URL("/auth/v1/token?grant_type=refresh_token", url);
    const body = JSON.stringify({ refresh_token: refreshToken });
    return refreshes.add(() => forward(new Request(target, { method: "POST", headers, body })));
  }

  async function recover({ rebuild, fields, forward }: Call): Promise<Response> {
    const user = await emails.find(text(fields.email).toLowerCase());
    const wait = user ? emails.secondsUntilNext(user.recoverySentAt) : 0;
    return wait > 0 ? rateLimited(wait) : forward(rebuild());
  }

  async function resend({ rebuild, fields, forward }: Call): Promise<Response> {
    const type = text(fields.type);
    const email = text(fields.email).toLowerCase();
    const user = await emails.find(email);
    if (type === "signup" && user && !user.confirmed) {
      const wait = emails.secondsUntilNext(user.confirmationSentAt);
      if (wait > 0) return rateLimited(wait);
      await emails.sendConfirmation(user);
      return Response.json({});
    }
    if (type === "email_change" && user?.newEmail) {
      const wait = emails.secondsUntilNext(user.emailChangeSentAt);
      if (wait > 0) return rateLimited(wait);
      await emails.sendEmailChange(user, "both");
      return Response.json({});
    }
    return forward(rebuild());
  }

  async function verify({ rebuild, fields, forward }: Call): Promise<Response> {
    const type = text(fields.type);
    if (type === "email") {
      const signup = await emails.isConfirmation(fields);
      const body = JSON.stringify({ ...fields, type: signup ? "signup" : "magiclink" });
      return forward(rebuild({ body }));
    }
    if (type === "email_change" && config.doubleConfirmChanges) {
      const step = await emails.confirmOneAddress(fields);
      if (step === "first of two") {
        return Response.json({
          msg: "Confirmation link accepted. Please proceed to confirm link sent to the other email",
          code: 200,
        });
      }
      if (step !== "unknown")
        return forward(rebuild({ body: JSON.stringify({ ...fields, ...step }) }));
    }
    return forward(rebuild());
  }

  /**
   * A link of the hosted service's own emails. Ours lead to the app instead, so one with a token that
   * exists is not followed here. Any other leads to where it asks, if that is allowed, or to the site.
   */
  async function followLink({ url }: Call): Promise<Response> {
    const token = url.searchParams.get("token") ?? "";
    if (!token || !url.searchParams.get("type"))
      return authError(400, "validation_failed", "Verify requires a token and a type");
    if (await emails.isToken(token))
      return authError(
        404,
        "not_found",
        "Links in emails lead to the app, which confirms them here.",
      );
    const target = new URL(findRedirect(url.searchParams.get("redirect_to"), settings.siteUrl));
    target.hash = new URLSearchParams({
      error: "access_denied",
      error_code: "otp_expired",
      error_description: "Email link is invalid or has expired",
      sb: "",
    }).toString();
    return new Response(null, { status: 303, headers: { Location: target.href } });
  }

  async function updateUser({ rebuild, fields, url, forward }: Call): Promise<Response> {
    const me = await forward(
      new Request(new URL("/auth/v1/user", url), { headers: bodyless(rebuild().headers) }),
    );
    if (!me.ok) return forward(rebuild());
    const unfit = refuseUserChange(fields);
    if (unfit) return unfit;
    const { id, email } = (await me.json()) as { id: string; email: string };
    const newEmail = text(fields.email).toLowerCase();
    const changesEmail = newEmail !== "" && newEmail !== email.toLowerCase();
    if (changesEmail || text(fields.password) !== "") {
      const refusal = await factors.refuseChange(id, sessionOf(rebuild().headers));
      if (refusal) return refusal;
    }
    if (changesEmail) {
      const before = await emails.find(email);
      const wait = before ? emails.secondsUntilNext(before.emailChangeSentAt) : 0;
      if (wait > 0) return rateLimited(wait);
    }

    const response = await forward(rebuild());
    if (!response.ok) return response;
    if (changesEmail && config.doubleConfirmChanges) {
      const user = await emails.find(email);
      if (user) await emails.sendEmailChange(user, "new address");
    }
    if (typeof fields.password === "string") {
      await engine.query("delete from auth.sessions where user_id = $1 and id <> $2", [
        id,
        sessionOf(rebuild().headers),
      ]);
      if (!changesEmail) await emails.endLinks(id);
    }
    return response;
  }

  async function logOut({ rebuild, fields, url, forward }: Call): Promise<Response> {
    if (!url.searchParams.has("scope") && fields.scope === undefined) {
      url.searchParams.set("scope", "global");
    }
    return forward(rebuild({ url: url.href }));
  }

  async function linkAccount({ rebuild, url, forward }: Call): Promise<Response> {
    const { headers } = rebuild();
    const me = await forward(new Request(new URL("/auth/v1/user", url), { headers }));
    return me.ok ? refuseLinking() : me;
  }
}

/** Where a link may lead: to the site itself, to this machine, or else to the site. */
function findRedirect(asked: string | null, siteUrl: string): string {
  if (!asked || !URL.canParse(asked)) return siteUrl;
  const { origin, hostname } = new URL(asked);
  return origin === new URL(siteUrl).origin || hostname === "127.0.0.1" ? asked : siteUrl;
}

/** How a session begins that the response to this URL has; undefined when it continues one. */
function startMethod(url: URL): string | undefined {
  if (url.pathname === "/auth/v1/verify") return "otp";
  if (url.pathname === "/auth/v1/signup") return "password";
  return url.pathname === "/auth/v1/token" && url.searchParams.get("grant_type") === "password"
    ? "password"
    : undefined;
}

/**
 * The answer of the hosted service for an address that it means not to disclose: an invented user. It
 * lacks identities, a role, and some metadata, and so discloses it to callers who know that.
 */
function fakeUser(email: string, data: unknown): Fields {
  const now = new Date().toISOString();
  return {
    id: crypto.randomUUID(),
    aud: "authenticated",
    role: "",
    email,
    phone: "",
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: typeof data === "object" ? data : {},
    identities: [],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
    confirmation_sent_at: now,
  };
}

function rateLimited(seconds: number): Response {
  return authError(
    429,
    "over_email_send_rate_limit",
    `For security purposes, you can only request this after ${seconds} seconds.`,
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
    // The stand-in reports what is wrong with the body.
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

/** The session of an access token that has already been accepted. */
function sessionOf(headers: Headers): string {
  const payload = headers.get("authorization")?.split(".")[1] ?? "";
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as {
    session_id: string;
  };
  return claims.session_id;
}
