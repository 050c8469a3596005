/**
 * The local Supabase as other programs use it: journeys arrange with it what they are not about, and
 * read past the pages what is stored.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { randomUUID } from "node:crypto";

export const PASSWORD = "rainbow-demo-1";

/** The accounts of the demo data. Journeys that change something create accounts of their own. */
export const demo = {
  owner: "owner@demo.test",
  rosa: "rosa@demo.test",
  newcomer: "newcomer@demo.test",
  admin: "admin@demo.test",
};

type Row = Record<string, unknown>;

/** What a listing needs to be submitted for review, apart from its name and owner. */
const COMPLETE_LISTING = {
  category: 1,
  description: "We bake bread for everybody, each day.",
  rawaddress: "1 Main St",
  address: "1 Main St",
  mailingaddress: "1 Main St",
  city: "Bend",
  state: "OR",
  third_party_auth: true,
  certified_queer: true,
};

export const supabaseUrl = () => process.env["E2E_SUPABASE_URL"]!;

/**
 * Sends a request to the local Supabase without a session, unless the headers carry one.
 * @returns the parsed response body; undefined when it is empty
 * @throws when the response is not a success
 */
async function send(
  path: string,
  {
    method = "GET",
    body,
    headers = {},
  }: { method?: string; body?: unknown; headers?: object } = {},
): Promise<unknown> {
  const response = await fetch(`${supabaseUrl()}/${path}`, {
    method,
    headers: {
      apikey: process.env["E2E_PUBLISHABLE_KEY"]!,
      "Content-Type": "application/json",
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

interface Session {
  access_token: string;
  refresh_token: string;
  user: { id: string };
}

/** Signs in at the auth service, as the mobile app does. */
export const startSession = async (email: string, password = PASSWORD): Promise<Session> =>
  (await send("auth/v1/token?grant_type=password", {
    method: "POST",
    body: { email, password },
  })) as Session;

/** Ends every session of an account, as signing out everywhere on another machine does. */
export async function endSessions(email: string) {
  const { access_token: token } = await startSession(email);
  await send("auth/v1/logout?scope=global", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
  });
}

/** What the map and the mobile app read without a session. */
export const readPublicly = async (path: string) => (await send(`rest/v1/${path}`)) as Row[];

/**
 * The data API with the rights of this account. `get`, `post` and `patch` return the rows as they are
 * then; `add` returns nothing, for tables whose rows the account may add and not read. All of them
 * throw when the request is refused.
 */
export async function dataApi(email: string, password = PASSWORD) {
  const session = await startSession(email, password);
  const authorization = { Authorization: `Bearer ${session.access_token}` };
  const ask = (method: "GET" | "POST" | "PATCH") => async (path: string, body?: unknown) => {
    const headers = { ...authorization, Prefer: "return=representation" };
    return ((await send(`rest/v1/${path}`, { method, body, headers })) ?? []) as Row[];
  };
  const get = ask("GET");
  return {
    id: session.user.id,
    get,
    /** The id of the first row that a query finds. */
    first: async (query: string) => String((await get(`${query}&order=id&limit=1`))[0]?.["id"]),
    post: ask("POST"),
    patch: ask("PATCH"),
    add: async (path: string, body: unknown) => {
      await send(`rest/v1/${path}`, { method: "POST", body, headers: authorization });
    },
  };
}

let accounts = 0;

/** An email address that no account had before, in any run or worker. */
export function newEmail(name = "owner") {
  accounts += 1;
  return `${name}-${process.pid}-${Date.now().toString(36)}-${accounts}@example.test`;
}

/** The URL of the newest email to this address whose subject contains this text, if there is one. */
export async function findEmail(address: string, subject = ""): Promise<string | undefined> {
  const list = await (await fetch(`${supabaseUrl()}/mailbox`)).text();
  const item = list
    .split("<li>")
    .find((one) => one.includes(`to ${address}<`) && one.includes(subject));
  const path = item && /href="(\/mailbox\/[\w-]+)"/.exec(item)?.[1];
  return path && `${supabaseUrl()}${path}`;
}

/** Signs up. When the dashboard is too busy to send the email, the sign-up is undone, and tried again. */
async function signUpAtAuthService(email: string, fullName: string): Promise<void> {
  const data = { full_name: fullName, consent_text_version: "test", consent_page: "/signup" };
  for (;;) {
    try {
      const body = { email, password: PASSWORD, data };
      await send("auth/v1/signup", { method: "POST", body });
      return;
    } catch (error) {
      if (!/unexpected_failure|hook_timeout/.test(String(error))) throw error;
      await sleep(500);
    }
  }
}

/**
 * Creates an account with a confirmed email address, without the pages for it: those have a journey
 * of their own.
 * @returns its email address
 */
export async function createAccount(
  fullName: string,
  { email = newEmail(), admin = false }: { email?: string; admin?: boolean } = {},
): Promise<string> {
  await signUpAtAuthService(email, fullName);
  let link: string | undefined;
  // The dashboard sends the emails of the auth service, and on a busy machine it takes a moment.
  while (!(link = await findEmail(email))) await sleep(50);
  const confirmation = await (await fetch(link)).text();
  const token = /[?&;]token_hash=([\w-]+)/.exec(confirmation)?.[1];
  const session = (await send("auth/v1/verify", {
    method: "POST",
    body: { type: "email", token_hash: token },
  })) as { access_token: string };
  // The confirmation came from another place than the sign-up, so the account has no password yet.
  await send("auth/v1/user", {
    method: "PUT",
    headers: { Authorization: `Bearer ${session.access_token}` },
    body: { password: PASSWORD },
  });
  if (admin)
    await (
      await dataApi(demo.admin)
    ).patch(`profiles?email=eq.${encodeURIComponent(email)}`, { admin: true });
  return email;
}

/** Adds complete listings, which then wait for review. @returns their ids, in the given order */
export async function addListings(
  owner: string,
  names: readonly string[],
  fields: Row = {},
): Promise<number[]> {
  const api = await dataApi(owner);
  const rows = await api.post(
    "places",
    names.map((name) => ({ ...COMPLETE_LISTING, name, ...fields })),
  );
  return rows.map(({ id }) => Number(id));
}

/**
 * Approves a listing that was just added, past the dashboard.
 * @throws when it was not approved
 */
export async function approveListing(id: number) {
  const decided = (await (
    await dataApi(demo.admin)
  ).post("rpc/decide_listings", {
    batch: randomUUID(),
    action: "approve",
    items: [{ id, version: 1 }],
  })) as unknown as { counts: { done?: number } };
  if (decided.counts.done !== 1)
    throw new Error(`Listing ${id} was not approved: ${JSON.stringify(decided)}`);
}
