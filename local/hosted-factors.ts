import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";

import { renderSVG } from "uqr";

import { authError } from "./auth-error";
import type { Engine, Row } from "./engine";
import type { StandInSettings } from "./stand-in";

type Fields = Record<string, unknown>;

/** A request to the auth service. `forward` passes a request on to the stand-in. */
interface FactorCall {
  request: Request;
  fields: Fields;
  forward: (request: Request) => Promise<Response>;
  /** Redeems a refresh token. */
  refresh: (token: string) => Promise<Response>;
}

/** Who calls, after their access token was accepted. */
interface Caller {
  userId: string;
  email: string;
  sessionId: string;
  /** Of the session as it is now, which may differ from the token. */
  aal: string | null;
}

const CHALLENGE_SECONDS = 300;
const UNVERIFIED_SECONDS = 300;
const MAX_FACTORS = 10;
const STEP_SECONDS = 30;

/**
 * The second factor of the hosted auth service (GoTrue), which the stand-in lacks: `/factors` and
 * `/admin/users/:id/factors`, the assurance level (`aal`) and the methods (`amr`) of sessions and
 * access tokens, and the list of factors of a user. Only authenticator apps (TOTP, RFC 6238); errors
 * and effects are those of the hosted service:
 *
 * - a challenge can be verified once, and for five minutes;
 * - verifying raises the session to aal2, with a new refresh token, and ends the user's sessions of
 *   aal1; other unverified factors are deleted;
 * - a verified factor is removed at aal2 only, and the sessions that it raised return to aal1;
 * - once a factor is verified, the email address and the password change at aal2 only.
 */
export class HostedFactors {
  readonly #engine: Engine;
  readonly #settings: Pick<StandInSettings, "config" | "keys" | "siteUrl">;

  constructor(engine: Engine, settings: Pick<StandInSettings, "config" | "keys" | "siteUrl">) {
    this.#engine = engine;
    this.#settings = settings;
  }

  /** Handles a request about factors. Undefined when it is about something else. */
  async answer(call: FactorCall): Promise<Response | undefined> {
    const { method } = call.request;
    const path = new URL(call.request.url).pathname.replace(/^\/auth\/v1\//, "");
    const admin = /^admin\/users\/([^/]+)\/factors(?:\/([^/]+))?$/.exec(path);
    if (admin) return this.#answerAdmin(call.request, admin[1]!, admin[2]);

    const [, factorId, step] = /^factors(?:\/([^/]+)(?:\/(challenge|verify))?)?$/.exec(path) ?? [];
    if (!/^factors(\/|$)/.test(path)) return undefined;
    const caller = await this.#authenticate(call);
    if ("refusal" in caller) return caller.refusal;
    if (factorId === undefined)
      return method === "POST" ? this.#enroll(caller, call.fields) : notAllowed();

    if (!isUuid(factorId)) return malformedId();
    const factor = await this.#find(caller.userId, factorId);
    if (!factor) return noFactor();
    if (step === "challenge" && method === "POST") return this.#challenge(factor);
    if (step === "verify" && method === "POST") return this.#verify(caller, factor, call);
    if (step === undefined && method === "DELETE") return this.#unenroll(caller, factor);
    return notAllowed();
  }

  /**
   * The refusal of a change of the email address or the password below aal2, for a user with a
   * verified factor. Undefined when nothing is in its way.
   */
  async refuseChange(userId: string, sessionId: string): Promise<Response | undefined> {
    const [row] = await this.#engine.query(
      `select exists (select from auth.mfa_factors where user_id = $1 and status = 'verified')
          and coalesce((select aal from auth.sessions where id = $2), 'aal1') < 'aal2' as refused`,
      [userId, sessionId],
    );
    if (row?.refused !== true) return undefined;
    return authError(
      401,
      "insufficient_aal",
      "AAL2 session is required to update email or password when MFA is enabled.",
    );
  }

  /**
   * Adds to a successful response what the hosted service says about factors: `aal`, `amr`, and
   * `user_metadata` in a new access token, and the factors of the user.
   * @param method how the session began, for a response that begins one
   */
  async complete(response: Response, method: string | undefined): Promise<Response> {
    if (!response.ok || response.status === 204) return response;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    if (typeof body !== "object" || body === null) return response;
    const fields = body as Fields;
    const token = fields.access_token;
    if (typeof token === "string") {
      fields.access_token = await this.#raiseToken(token, method);
      if (isUser(fields.user)) await this.#addFactors(fields.user);
    } else if (isUser(fields)) {
      await this.#addFactors(fields);
    } else {
      return response;
    }
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    return Response.json(fields, { status: response.status, headers });
  }

  async #authenticate({ request, forward }: FactorCall): Promise<Caller | { refusal: Response }> {
    const headers = new Headers(request.headers);
    headers.delete("content-type");
    const me = await forward(new Request(new URL("/auth/v1/user", request.url), { headers }));
    if (!me.ok) return { refusal: me };
    const { id, email } = (await me.json()) as { id: string; email: string };
    const token = request.headers.get("authorization")?.replace(/^Bearer\s+/i, "") ?? "";
    const sessionId = readPayload(token).session_id as string;
    const [session] = await this.#engine.query("select aal from auth.sessions where id = $1", [
      sessionId,
    ]);
    return { userId: id, email, sessionId, aal: (session?.aal as string | null) ?? null };
  }

  async #find(userId: string, factorId: string): Promise<Row | undefined> {
    const [factor] = await this.#engine.query(
      "select * from auth.mfa_factors where id = $1 and user_id = $2",
      [factorId, userId],
    );
    return factor;
  }

  async #enroll(caller: Caller, fields: Fields): Promise<Response> {
    const { config, siteUrl } = this.#settings;
    if (fields.factor_type === "phone" || fields.factor_type === "webauthn") {
      const name = fields.factor_type === "phone" ? "Phone" : "WebAuthn";
      return authError(
        422,
        `mfa_${fields.factor_type}_enroll_not_enabled`,
        `MFA enroll is disabled for ${name}`,
      );
    }
    if (fields.factor_type !== "totp")
      return authError(
        400,
        "validation_failed",
        "factor_type needs to be totp, phone, or webauthn",
      );
    if (!config.totp.enroll)
      return authError(422, "mfa_totp_enroll_not_enabled", "MFA enroll is disabled for TOTP");

    const name = text(fields.friendly_name);
    const secret = toBase32(randomBytes(20));
    const id = randomUUID();
    const refusal = await this.#engine.transaction(async (statements) => {
      await statements.query(
        `delete from auth.mfa_factors
          where status = 'unverified' and created_at < now() - make_interval(secs => $1)`,
        [UNVERIFIED_SECONDS],
      );
      const factors = await statements.query(
        "select friendly_name, status from auth.mfa_factors where user_id = $1",
        [caller.userId],
      );
      if (factors.some((factor) => factor.friendly_name === name))
        return authError(
          422,
          "mfa_factor_name_conflict",
          `A factor with the friendly name "${name}" for this user already exists`,
        );
      if (factors.length >= MAX_FACTORS)
        return authError(
          422,
          "too_many_enrolled_mfa_factors",
          "Maximum number of verified factors reached, unenroll to continue",
        );
      if (factors.some((factor) => factor.status === "verified") && caller.aal !== "aal2")
        return authError(403, "insufficient_aal", "AAL2 required to enroll a new factor");
      await statements.query(
        `insert into auth.mfa_factors
           (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
         values ($1, $2, $3, 'totp', 'unverified', now(), now(), $4)`,
        [id, caller.userId, name, secret],
      );
      return undefined;
    });
    if (refusal) return refusal;

    const issuer = text(fields.issuer) || new URL(siteUrl).host;
    const query = new URLSearchParams({
      algorithm: "SHA1",
      digits: "6",
      issuer,
      period: String(STEP_SECONDS),
      secret,
    });
    const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(caller.email)}`;
    const uri = `otpauth://totp/${label}?${query.toString().replaceAll("+", "%20")}`;
    return Response.json({
      id,
      type: "totp",
      friendly_name: name,
      totp: { qr_code: renderSVG(uri), secret, uri },
    });
  }

  async #challenge(factor: Row): Promise<Response> {
    if (!this.#settings.config.totp.verify) return verifyDisabled();
    const id = randomUUID();
    await this.#engine.transaction(async (statements) => {
      await statements.query(
        `insert into auth.mfa_challenges (id, factor_id, created_at, ip_address)
         values ($1, $2, now(), '127.0.0.1')`,
        [id, factor.id],
      );
      await statements.query(
        "update auth.mfa_factors set last_challenged_at = clock_timestamp() where id = $1",
        [factor.id],
      );
    });
    const expiresAt = Math.floor(Date.now() / 1000) + CHALLENGE_SECONDS;
    return Response.json({ id, type: "totp", expires_at: expiresAt });
  }

  async #verify(caller: Caller, factor: Row, { fields, refresh }: FactorCall): Promise<Response> {
    const code = text(fields.code);
    const challengeId = text(fields.challenge_id);
    if (code === "") return authError(400, "validation_failed", "Code needs to be non-empty");
    if (!this.#settings.config.totp.verify) return verifyDisabled();
    const refusal = await this.#checkChallenge(factor, challengeId);
    if (refusal) return refusal;
    if (!isCurrentCode(String(factor.secret), code))
      return authError(422, "mfa_verification_failed", "Invalid TOTP code entered");

    const token = await this.#engine.transaction(async (statements) => {
      const used = await statements.query(
        `update auth.mfa_challenges set verified_at = now()
          where id = $1 and verified_at is null returning id`,
        [challengeId],
      );
      if (used.length === 0) return undefined;
      await statements.query(
        "update auth.mfa_factors set status = 'verified', updated_at = now() where id = $1",
        [factor.id],
      );
      await statements.query(ADD_METHOD, [randomUUID(), caller.sessionId, "totp"]);
      await statements.query(
        "update auth.sessions set aal = 'aal2', factor_id = $2 where id = $1",
        [caller.sessionId, factor.id],
      );
      await statements.query("delete from auth.sessions where user_id = $1 and aal < 'aal2'", [
        caller.userId,
      ]);
      await statements.query(
        `delete from auth.mfa_factors
          where user_id = $1 and status = 'unverified' and factor_type = 'totp'`,
        [caller.userId],
      );
      const [current] = await statements.query(
        `select token from auth.refresh_tokens
          where session_id = $1 and not revoked order by created_at desc limit 1`,
        [caller.sessionId],
      );
      return String(current?.token);
    });
    return token === undefined ? addressMismatch() : refresh(token);
  }

  async #checkChallenge(factor: Row, id: string): Promise<Response | undefined> {
    const [challenge] = isUuid(id)
      ? await this.#engine.query(
          `select verified_at is not null as used,
                  created_at < now() - make_interval(secs => $3) as expired
             from auth.mfa_challenges where id = $1 and factor_id = $2`,
          [id, factor.id, CHALLENGE_SECONDS],
        )
      : [];
    if (!challenge)
      return authError(
        422,
        "mfa_factor_not_found",
        "MFA factor with the provided challenge ID not found",
      );
    if (challenge.used === true) return addressMismatch();
    if (challenge.expired !== true) return undefined;
    await this.#engine.query("delete from auth.mfa_challenges where id = $1", [id]);
    return authError(
      422,
      "mfa_challenge_expired",
      `MFA challenge ${id} has expired, verify against another challenge or create a new challenge.`,
    );
  }

  async #unenroll(caller: Caller, factor: Row): Promise<Response> {
    if (factor.status === "verified" && caller.aal !== "aal2")
      return authError(422, "insufficient_aal", "AAL2 required to unenroll verified factor");
    await this.#remove(factor);
    return Response.json({ id: factor.id });
  }

  async #remove(factor: Row): Promise<void> {
    await this.#engine.transaction(async (statements) => {
      await statements.query("delete from auth.mfa_factors where id = $1", [factor.id]);
      await statements.query(
        `delete from auth.mfa_amr_claims
          where authentication_method = 'totp'
            and session_id in (select id from auth.sessions where factor_id = $1)`,
        [factor.id],
      );
      await statements.query(
        "update auth.sessions set aal = 'aal1', factor_id = null where factor_id = $1",
        [factor.id],
      );
    });
  }

  async #answerAdmin(
    request: Request,
    userId: string,
    factorId: string | undefined,
  ): Promise<Response> {
    const users = isUuid(userId)
      ? await this.#engine.query("select from auth.users where id = $1", [userId])
      : [];
    if (users.length === 0) return authError(404, "user_not_found", "User not found");
    if (factorId === undefined)
      return request.method === "GET"
        ? Response.json(await this.#listFactors(userId))
        : notAllowed();
    if (!isUuid(factorId)) return malformedId();
    const factor = await this.#find(userId, factorId);
    if (!factor) return noFactor();
    if (request.method !== "DELETE") return notAllowed();
    await this.#remove(factor);
    return Response.json(describeFactor(factor));
  }

  async #listFactors(userId: string): Promise<Fields[]> {
    const factors = await this.#engine.query(
      "select * from auth.mfa_factors where user_id = $1 order by created_at",
      [userId],
    );
    return factors.map(describeFactor);
  }

  /** The hosted service leaves an empty list out. */
  async #addFactors(user: Fields): Promise<void> {
    const factors = await this.#listFactors(String(user.id));
    if (factors.length > 0) user.factors = factors;
  }

  /** The same access token with the level and the methods of its session. */
  async #raiseToken(token: string, method: string | undefined): Promise<string> {
    const payload = readPayload(token);
    const sessionId = payload.session_id;
    if (method !== undefined) {
      await this.#engine.query(ADD_METHOD, [randomUUID(), sessionId, method]);
      await this.#engine.query(
        "update auth.sessions set aal = 'aal1' where id = $1 and aal is null",
        [sessionId],
      );
    }
    const methods = await this.#engine.query(
      `select authentication_method as method,
              floor(extract(epoch from updated_at))::int as timestamp
         from auth.mfa_amr_claims where session_id = $1 order by updated_at desc`,
      [sessionId],
    );
    const [user] = await this.#engine.query(
      "select raw_user_meta_data as metadata from auth.users where id = $1",
      [payload.sub],
    );
    const aal = methods.some((one) => one.method === "totp") ? "aal2" : "aal1";
    const [header] = token.split(".");
    const claims = { ...payload, aal, amr: methods, user_metadata: user?.metadata };
    const body = Buffer.from(JSON.stringify(claims)).toString("base64url");
    const signature = createHmac("sha256", this.#settings.keys.jwtSecret)
      .update(`${header}.${body}`)
      .digest("base64url");
    return `${header}.${body}.${signature}`;
  }
}

const ADD_METHOD = `
  insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
  values ($1, $2, clock_timestamp(), clock_timestamp(), $3)
  on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey
    do update set updated_at = excluded.updated_at`;

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replace(/.{5}/g, (five) => BASE32.charAt(parseInt(five, 2)));
}

function fromBase32(secret: string): Buffer {
  const bits = [...secret.toUpperCase()]
    .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
}

/**
 * The code that an authenticator app shows at a moment (RFC 6238: SHA-1, 6 digits, 30 seconds).
 * @param secret in base32
 * @param at milliseconds since 1970
 */
export function makeTotpCode(secret: string, at = Date.now()): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 1000 / STEP_SECONDS)));
  const digest = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const offset = digest[digest.length - 1]! & 15;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** One step before and one after are accepted as well, since clocks differ. */
function isCurrentCode(secret: string, code: string): boolean {
  const typed = Buffer.from(code.trim());
  return [-1, 0, 1].some((step) => {
    const wanted = Buffer.from(makeTotpCode(secret, Date.now() + step * STEP_SECONDS * 1000));
    return typed.length === wanted.length && timingSafeEqual(typed, wanted);
  });
}

function describeFactor(factor: Row): Fields {
  const { id, created_at, updated_at, status, friendly_name, factor_type, last_challenged_at } =
    factor;
  return { id, created_at, updated_at, status, friendly_name, factor_type, last_challenged_at };
}

function isUser(value: unknown): value is Fields {
  return (
    typeof value === "object" &&
    value !== null &&
    "aud" in value &&
    "id" in value &&
    isUuid(String(value.id))
  );
}

/** The payload of an access token that has already been accepted. */
function readPayload(token: string): Fields {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as Fields;
}

function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const malformedId = (): Response =>
  authError(404, "validation_failed", "factor_id must be an UUID");
const noFactor = (): Response => authError(404, "mfa_factor_not_found", "Factor not found");
const notAllowed = (): Response => new Response(null, { status: 405 });
const verifyDisabled = (): Response =>
  authError(422, "mfa_totp_verify_not_enabled", "MFA verification is disabled for TOTP");
/** The hosted service says this about a used challenge as well. */
const addressMismatch = (): Response =>
  authError(422, "mfa_ip_address_mismatch", "Challenge and verify IP addresses mismatch.");
