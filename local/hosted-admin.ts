import { randomBytes, randomInt, randomUUID } from "node:crypto";

import { authError } from "./auth-error";
import type { Engine, Row } from "./engine";
import { hashOf, type HostedEmails } from "./hosted-emails";
import { LONGEST_PASSWORD } from "./hosted-refusals";
import type { StandInSettings } from "./stand-in";

type Fields = Record<string, unknown>;
type Settings = Pick<StandInSettings, "config" | "keys" | "siteUrl">;

/** A request to the auth service. `forward` passes a request on to the stand-in. */
interface AdminCall {
  request: Request;
  fields: Fields;
  forward: (request: Request) => Promise<Response>;
}

/**
 * The part of the hosted auth service (GoTrue) that only the secret key may call, which the stand-in
 * lacks: `/admin/users` creates, shows, and deletes accounts, and `/admin/generate_link` makes the links
 * of every email and sends none. Errors are those of the hosted service.
 */
export class HostedAdmin {
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #emails: HostedEmails;

  constructor(engine: Engine, settings: Settings, emails: HostedEmails) {
    this.#engine = engine;
    this.#settings = settings;
    this.#emails = emails;
  }

  /** Handles a request to `/admin`. Undefined when it is about something else. */
  async answer(call: AdminCall): Promise<Response | undefined> {
    const { method, url } = call.request;
    const path = new URL(url).pathname.replace(/^\/auth\/v1\//, "");
    if (!path.startsWith("admin/")) return undefined;
    const refusal = await this.#refuse(call);
    if (refusal) return refusal;
    if (path === "admin/generate_link" && method === "POST") return this.#generateLink(call.fields);
    if (path === "admin/users" && method === "POST") return this.#createUser(call.fields);
    if (path.startsWith("admin/sso/providers/"))
      return authError(404, "sso_provider_not_found", "SSO Identity Provider not found");
    const [, id] = /^admin\/users\/([^/]+)$/.exec(path) ?? [];
    if (id === undefined) return undefined;
    if (!isUuid(id)) return authError(404, "validation_failed", "user_id must be an UUID");
    const [user] = await this.#engine.query("select * from auth.users where id = $1", [id]);
    if (!user) return authError(404, "user_not_found", "User not found");
    if (method === "GET") return Response.json(describeUser(user));
    if (method !== "DELETE") return new Response(null, { status: 405 });
    await this.#engine.query("delete from auth.users where id = $1", [id]);
    return Response.json({});
  }

  /** The answer to callers without the secret key. */
  async #refuse({ request, forward }: AdminCall): Promise<Response | undefined> {
    const { authorization } = Object.fromEntries(request.headers);
    if (authorization === `Bearer ${this.#settings.keys.secretKey}`) return undefined;
    const headers = new Headers(request.headers);
    headers.delete("content-type");
    const me = await forward(new Request(new URL("/auth/v1/user", request.url), { headers }));
    return me.ok ? authError(403, "not_admin", "User not allowed") : me;
  }

  async #createUser(fields: Fields): Promise<Response> {
    const email = text(fields.email).toLowerCase();
    if (email === "") return invalid("Cannot create a user without either an email or phone");
    if (!isEmail(email)) return invalidEmail();
    if (await this.#emails.find(email)) return emailExists();
    const password = text(fields.password) || randomBytes(32).toString("base64url");
    if (Buffer.byteLength(password) > LONGEST_PASSWORD)
      return invalid("bcrypt: password length exceeds 72 bytes");
    const id = await this.#insert(email, password, fields.user_metadata);
    if (fields.email_confirm === true)
      await this.#engine.query("update auth.users set email_confirmed_at = now() where id = $1", [
        id,
      ]);
    const [user] = await this.#engine.query("select * from auth.users where id = $1", [id]);
    return Response.json(describeUser(user!));
  }

  async #insert(email: string, password: string, metadata: unknown): Promise<string> {
    const id = randomUUID();
    const own = { sub: id, email, email_verified: false, phone_verified: false };
    await this.#engine.transaction(async (statements) => {
      await statements.query(
        `insert into auth.users (id, aud, role, email, encrypted_password, raw_app_meta_data, raw_user_meta_data)
         values ($1, 'authenticated', 'authenticated', $2, extensions.crypt($3, extensions.gen_salt('bf', 4)),
           '{"provider": "email", "providers": ["email"]}', $4)`,
        [id, email, password, JSON.stringify(typeof metadata === "object" ? metadata : {})],
      );
      await statements.query(
        `insert into auth.identities (id, provider, provider_id, user_id, identity_data)
         values ($1, 'email', $2::uuid::text, $2, $3)`,
        [randomUUID(), id, JSON.stringify(own)],
      );
    });
    return id;
  }

  async #generateLink(fields: Fields): Promise<Response> {
    const email = text(fields.email).toLowerCase();
    if (!isEmail(email)) return invalidEmail();
    let type = text(fields.type);
    let user = await this.#emails.find(email);
    // As the hosted service does: someone without an account gets one.
    if (!user && type === "magiclink") type = "signup";
    const column = LINK_COLUMNS[type];
    if (!user && column && type !== "signup")
      return authError(404, "user_not_found", "User with this email not found");
    if (!column) return invalid(`Invalid email action link type requested: ${type}`);
    if (type === "signup" && user?.confirmed) return emailExists();
    if (!user) {
      const password = text(fields.password);
      if (fields.type === "signup" && password === "")
        return invalid("Signup requires a valid password");
      await this.#insert(email, password || randomBytes(32).toString("base64url"), fields.data);
      user = await this.#emails.find(email);
    }

    const isChange = type.startsWith("email_change");
    const newEmail = text(fields.new_email).toLowerCase();
    if (isChange && !isEmail(newEmail)) return invalidEmail();
    if (isChange && (await this.#emails.find(newEmail))) return emailExists();
    const token = Array.from({ length: this.#settings.config.otpLength }, () => randomInt(10)).join(
      "",
    );
    const hash = hashOf({ email: type === "email_change_new" ? newEmail : email, token });
    await this.#engine.query(
      `update auth.users set ${column} = $2, ${column.replace(/_token.*/, "")}_sent_at = now() where id = $1`,
      [user!.id, hash],
    );
    if (isChange)
      await this.#engine.query(
        "update auth.users set email_change = $2, email_change_confirm_status = 0 where id = $1",
        [user!.id, newEmail],
      );
    const { siteUrl } = this.#settings;
    const [row] = await this.#engine.query("select * from auth.users where id = $1", [user!.id]);
    return Response.json({
      ...describeUser(row!),
      action_link: `${siteUrl}/auth/v1/verify?${new URLSearchParams({ token: hash, type, redirect_to: siteUrl })}`,
      email_otp: token,
      // For the address that the account has, even where the link is for the new one.
      hashed_token: hashOf({ email, token }),
      verification_type: type,
      redirect_to: siteUrl,
    });
  }
}

const LINK_COLUMNS: Readonly<Record<string, string>> = {
  signup: "confirmation_token",
  magiclink: "recovery_token",
  recovery: "recovery_token",
  email_change_current: "email_change_token_current",
  email_change_new: "email_change_token_new",
};

function describeUser(row: Row): Fields {
  return {
    id: row.id,
    aud: row.aud,
    role: row.role,
    email: row.email,
    phone: row.phone ?? "",
    ...(row.email_confirmed_at ? { email_confirmed_at: row.email_confirmed_at } : {}),
    app_metadata: row.raw_app_meta_data,
    user_metadata: row.raw_user_meta_data,
    created_at: row.created_at,
    updated_at: row.updated_at,
    is_anonymous: row.is_anonymous,
  };
}

const isUuid = (value: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

const isEmail = (value: string): boolean => /^[^\s@<>,]+@[^\s@<>,]+$/.test(value);

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const invalid = (msg: string): Response => authError(400, "validation_failed", msg);
const invalidEmail = (): Response => invalid("Unable to validate email address: invalid format");
const emailExists = (): Response =>
  authError(422, "email_exists", "A user with this email address has already been registered");
