/**
 * The database as it meets the world: requests to the data API of a local Supabase, by anonymous
 * visitors, people with an account, and the service. No part of the app takes part.
 */
import { createHmac, randomUUID } from "node:crypto";
import { afterAll } from "vitest";

import { copyOfTemplate } from "../../support/database-template";
import { startLocalSupabase, type LocalSupabaseOptions } from "../../../local/supabase";

export type Row = Record<string, unknown>;
type Sql = (query: string, params?: readonly unknown[]) => Promise<Row[]>;

/** What the data API answered. */
export interface Answer {
  status: number;
  /** The rows, or what a function gave. */
  rows: Row[];
  value: unknown;
  /** SQLSTATE or PostgREST's own code of a refusal. */
  code?: string;
  message?: string;
  details?: string | null;
  hint?: string | null;
  /** How long to wait, as the header of a limit says it. */
  retryAfter?: string | null;
  /** The total of a select, as the data API counted it. */
  total?: number;
}

/** One way to ask the data API; `id` is that of the account, when there is one. */
export interface Caller {
  id: string;
  email: string;
  /** The claims of the token, for looking at the database as this person from another connection. */
  claims: Row;
  /** The access token; empty without a session. */
  token: string;
  /** @param prefer how the total is counted: exactly, or as the planner expects */
  select(table: string, query?: string, prefer?: string): Promise<Answer>;
  insert(table: string, rows: Row | readonly Row[]): Promise<Answer>;
  update(table: string, query: string, row: Row): Promise<Answer>;
  remove(table: string, query: string): Promise<Answer>;
  call(name: string, args?: Row): Promise<Answer>;
}

/** Starts a database with the migrations and nothing else. Call it at the top of a test file. */
export async function startDatabase(
  options: { engine?: LocalSupabaseOptions["engine"]; seed?: "demo" } = {},
) {
  const copy = options.engine ? undefined : await copyOfTemplate();
  const supabase = await startLocalSupabase({
    engine: copy?.engine ?? options.engine ?? { kind: "pglite" },
    siteUrl: "http://dashboard.test",
    seed: options.seed ?? "none",
  });
  afterAll(async () => {
    await supabase.stop();
    await copy?.drop();
  });
  const sql: Sql = (query, params = []) => supabase.sql(query, params);

  async function ask(
    key: string,
    token: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    prefer = "return=minimal,count=exact",
  ): Promise<Answer> {
    const response = await fetch(`${supabase.url}/rest/v1/${path}`, {
      method,
      headers: {
        apikey: key,
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        "Content-Type": "application/json",
        // Nothing comes back unless asked for: reading is a permission of its own.
        Prefer: prefer,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const value: unknown = text ? JSON.parse(text) : null;
    if (response.status >= 400) {
      const { code, message, details, hint } = value as Partial<
        Record<"code" | "message" | "details" | "hint", string>
      >;
      return {
        status: response.status,
        rows: [],
        value: null,
        code: code ?? "",
        message: message ?? "",
        details: details ?? null,
        hint: hint ?? null,
        retryAfter: response.headers.get("Retry-After"),
      };
    }
    const total = Number(response.headers.get("Content-Range")?.split("/")[1] ?? Number.NaN);
    const rows = Array.isArray(value)
      ? (value as Row[])
      : Array.from({ length: total || 0 }, () => ({}));
    return { status: response.status, rows, value, total };
  }

  function caller(
    person: { id: string; email: string; claims: Row },
    key: string,
    token?: string,
  ): Caller {
    return {
      ...person,
      token: token ?? "",
      select: (table, query = "", prefer = undefined) =>
        ask(key, token, "GET", `${table}?${query}`, undefined, prefer),
      insert: (table, row) => ask(key, token, "POST", table, row),
      update: (table, query, row) => ask(key, token, "PATCH", `${table}?${query}`, row),
      remove: (table, query) => ask(key, token, "DELETE", `${table}?${query}`),
      call: (name, args = {}) => ask(key, token, "POST", `rpc/${name}`, args),
    };
  }

  const nobody = { id: "", email: "", claims: {} };
  let people = 0;

  /**
   * An account with a session. Confirmed unless stated otherwise; `data` is what sign-up sends along.
   * With `secondStep` two-step sign-in is on, and this session has passed it just now, or long ago.
   */
  async function person(
    options: {
      email?: string;
      confirmed?: boolean;
      admin?: boolean;
      secondStep?: boolean | "long ago";
      data?: Row;
    } = {},
  ): Promise<Caller> {
    people += 1;
    const id = randomUUID();
    const session = randomUUID();
    const email = options.email ?? `person-${people}@example.test`;
    await sql(
      `insert into auth.users (id, email, email_confirmed_at, raw_user_meta_data)
       values ($1, $2, case when $3::boolean then now() end, $4::jsonb)`,
      [id, email, options.confirmed ?? true, JSON.stringify(options.data ?? {})],
    );
    await sql("insert into auth.sessions (id, user_id) values ($1, $2)", [session, id]);
    if (options.admin) await sql("update public.profiles set admin = true where id = $1", [id]);
    if (options.secondStep) {
      await sql(
        `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
         values (gen_random_uuid(), $1, 'totp', 'verified', now(), now(), 'A')`,
        [id],
      );
      await sql("update auth.sessions set aal = 'aal2' where id = $1", [session]);
    }
    const secondsAgo = options.secondStep === "long ago" ? 11 * 60 : 0;
    const passedAt = Math.floor(Date.now() / 1000) - secondsAgo;
    const claims = {
      ...(options.secondStep
        ? { aal: "aal2", amr: [{ method: "totp", timestamp: passedAt }] }
        : {}),
      sub: id,
      aud: "authenticated",
      role: "authenticated",
      email,
      session_id: session,
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.now() / 1000) + 3600,
    };
    return caller(
      { id, email, claims },
      supabase.publishableKey,
      signed(claims, supabase.jwtSecret),
    );
  }

  /** A complete listing, past every guard; published unless stated otherwise. */
  async function place(columns: Row = {}): Promise<number> {
    const row: Row = {
      name: "Café X",
      category: 4,
      description: "A café for everybody.",
      rawaddress: "1 Main St, Albuquerque",
      city: "Albuquerque",
      state: "NM",
      lat: 35.08,
      long: -106.62,
      third_party_auth: true,
      certified_queer: true,
      status: "published",
      owner_email: "somebody@example.test",
      ...columns,
    };
    const names = Object.keys(row);
    const [made] = await sql(
      `insert into public.places (${names.map((name) => `"${name}"`).join(", ")})
       values (${names.map((_, index) => `$${index + 1}`).join(", ")}) returning id`,
      Object.values(row),
    );
    return Number(made?.id);
  }

  return {
    supabase,
    sql,
    person,
    place,
    anonymous: caller(nobody, supabase.publishableKey),
    service: caller(nobody, supabase.secretKey),
    /** One row by its id, as it is. */
    async row(table: string, id: unknown): Promise<Row> {
      const [found] = await sql(`select * from public.${table} where id = $1`, [id]);
      if (!found) throw new Error(`${table} has no row ${String(id)}`);
      return found;
    },
  };
}

/** What an owner's form sends for a new listing. */
export const completeListing = {
  name: "Café X",
  category: 4,
  description: "A café for everybody.",
  rawaddress: "1 Main St, Albuquerque",
  third_party_auth: true,
  certified_queer: true,
};

function signed(claims: Row, secret: string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}
