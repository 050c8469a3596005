import { createClient, type SupabaseClient } from "@supabase/supabase-js";

import { env } from "~/env.server";
import { forwardsVisitors } from "~/text/supabase-keys.server";

import type { Database } from "./database.types";
import { supabaseFetch } from "./supabase-fetch.server";
import { getVisitor } from "./visitor.server";

export type Db = SupabaseClient<Database>;

/** On Node 20 supabase-js requires a WebSocket class. We open no sockets, so any class will do. */
class NoRealtime {}
const realtime = { transport: NoRealtime as unknown as typeof WebSocket };

/**
 * The data client of one request. It carries the user's own access token, so that row level
 * security decides everything. Without a token it is anonymous. Never shared between requests.
 */
export function createUserClient(accessToken: string | null): Db {
  return createClient<Database>(env().supabaseUrl, env().supabasePublishableKey, {
    accessToken: async () => accessToken ?? env().supabasePublishableKey,
    global: { fetch: supabaseFetch },
    realtime,
  });
}

/**
 * The client that bypasses row level security. Only for rate limits, the form stash, handoff codes,
 * sign-ups, webhooks, and background work. A page's reads and writes never use it.
 */
export function createServiceClient(): Db {
  return createClient<Database>(env().supabaseUrl, env().supabaseSecretKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: supabaseFetch },
    realtime,
  });
}

type SessionTokens = { access_token: string; refresh_token: string; expires_at: number };

/**
 * The auth client of one request. It names the visitor to the auth service, where the project's keys
 * allow that: only with a secret key (docs of Supabase, "IP address forwarding"). What a call may do
 * depends on the session and not on the key.
 * @param session the tokens to act with, or null to act anonymously
 */
export function createAuthClient(session: SessionTokens | null) {
  const visitor = getVisitor();
  const { supabasePublishableKey, supabaseSecretKey } = env();
  return visitor && forwardsVisitors(supabaseSecretKey)
    ? createClientWith(session, supabaseSecretKey, { "Sb-Forwarded-For": visitor })
    : createClientWith(session, supabasePublishableKey);
}

/**
 * The auth client of a visitor who signs in, signs up, or asks for a new password. Once the project
 * asks for a captcha, it asks every such call, except those with the secret key. Our server decides
 * when to ask, so it calls with that key then.
 */
export function createVisitorAuthClient() {
  const { captcha, supabaseSecretKey } = env();
  return captcha && !forwardsVisitors(supabaseSecretKey)
    ? createClientWith(null, supabaseSecretKey)
    : createAuthClient(null);
}

/** The auth client with the publishable key, for which the auth service makes no exceptions. */
export const createPublicAuthClient = () => createClientWith(null, env().supabasePublishableKey);

function createClientWith(
  session: SessionTokens | null,
  key: string,
  headers: Record<string, string> = {},
) {
  const stored = new Map<string, string>();
  const storageKey = "session";
  if (session)
    stored.set(
      storageKey,
      JSON.stringify({ ...session, token_type: "bearer", expires_in: 3600, user: {} }),
    );
  return createClient(env().supabaseUrl, key, {
    auth: {
      storageKey,
      storage: {
        getItem: (key) => stored.get(key) ?? null,
        setItem: (key, value) => void stored.set(key, value),
        removeItem: (key) => void stored.delete(key),
      },
      persistSession: true,
      autoRefreshToken: false,
      detectSessionInUrl: false,
      flowType: "implicit",
    },
    global: { fetch: supabaseFetch, headers },
    realtime,
  }).auth;
}
