/**
 * A world: the app, over a Supabase of its own. Create one at the top of a test file; it
 * ends with the file, and no other world sees its data.
 *
 *     const world = await createWorld();
 *
 *     it("accepts a new listing", async () => {
 *       const owner = await world.owner();
 *       const response = await owner.post("/listings/new", { name: "Café X" });
 *       expect(response).toRedirectTo("/listings");
 *     });
 */
import { randomBytes } from "node:crypto";
import { afterAll } from "vitest";

import type { Mail } from "../../local/mailbox";
import { listenForMail } from "../../local/smtp";
import { startLocalSupabase, type LocalSupabaseOptions } from "../../local/supabase";

import { copyOfTemplate } from "./database-template";
import { answerInProcess } from "./in-process";
import { letLocksTake } from "./lock-waits";
import type { Person } from "./person";
import { startTestStripe, type TestStripe } from "./stripe";

const APP_URL = "http://dashboard.test";
const PASSWORD = "correct horse 42 staples";

/** With which the auth service of a world signs that it asks for an email. */
export const EMAIL_HOOK_SECRET = `v1,whsec_${randomBytes(32).toString("base64")}`;

interface WorldOptions {
  /** The address of the dashboard; left out, http://dashboard.test. */
  appUrl?: string;
  engine?: LocalSupabaseOptions["engine"];
  seed?: "demo" | "none";
  /** Has the app send the emails of the auth service, which come a moment later then. */
  emailHook?: boolean;
  /** Adds a local Stripe as `world.stripe`; without it, payments are not set up. */
  stripe?: boolean;
  /** Environment variables besides the required ones, such as `CONTACT_URL`; undefined removes one. */
  env?: Record<string, string | undefined>;
}

interface AccountFields {
  email?: string;
  password?: string;
  fullName?: string;
  phone?: string;
  pronouns?: string;
  postalCode?: string;
  optedIn?: boolean;
  smsOptedIn?: boolean;
}

/** A person with an account, signed in. */
export type Member = Person & { id: string; email: string; password: string; fullName: string };

type Row = Record<string, unknown>;

/** An email, with the path of its first link into the dashboard, and the token in that link; "" without one. */
type MailWithLink = Mail & { link: string; token: string };

export type World = Awaited<ReturnType<typeof createWorld>>;

/**
 * Starts a world and sets the environment of the app to it. Call it once per file, at the top level,
 * before anything of the app reads the environment.
 */
export async function createWorld(options: WorldOptions = {}) {
  const { appUrl = APP_URL } = options;
  const copy = options.engine ? undefined : await copyOfTemplate();
  const supabase = await startLocalSupabase({
    engine: options.engine ?? copy?.engine ?? { kind: "pglite" },
    siteUrl: appUrl,
    seed: options.seed ?? "none",
    ...(options.emailHook
      ? {
          emailHook: {
            url: `${appUrl}/webhooks/auth-emails`,
            secret: EMAIL_HOOK_SECRET,
            async fetch(request: Request) {
              const headers = Object.fromEntries(request.headers);
              // The work of the app that asked for this email waits for its answer.
              const answer = await sendToApp(await request.text(), headers, {
                path: "/webhooks/auth-emails",
                leaveWork: true,
              });
              return new Response(answer.body, {
                status: answer.status,
                headers: { "Content-Type": answer.type },
              });
            },
          },
        }
      : {}),
  });
  const mailServer = await listenForMail(0, supabase.mailbox);
  const disconnect = answerInProcess(supabase.url, (request) => supabase.fetch(request));
  afterAll(async () => {
    disconnect();
    await Promise.all([supabase.stop(), mailServer.close()]);
    await copy?.drop();
  });

  const stripe = options.stripe
    ? await startTestStripe(appUrl, (_url, body, headers) => sendToApp(body, headers))
    : undefined;

  const environment: Record<string, string | undefined> = {
    APP_URL: appUrl,
    SESSION_SECRET: randomBytes(32).toString("base64url"),
    SUPABASE_URL: supabase.url,
    SUPABASE_PUBLISHABLE_KEY: supabase.publishableKey,
    SUPABASE_SECRET_KEY: supabase.secretKey,
    SMTP_URL: mailServer.url,
    MAIL_FROM: "Team <team@directory.test>",
    SEND_EMAIL_HOOK_SECRET: options.emailHook ? EMAIL_HOOK_SECRET : undefined,
    STRIPE_SECRET_KEY: stripe?.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe?.webhookSecret,
    STRIPE_API_URL: stripe?.url,
    ...options.env,
  };
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  // The app is loaded only now, since it reads its environment once.
  const { Person: AppPerson } = await import("./person");
  const { serializeSession } = await import("~/http/session.server");
  const { requestLimit } = await import("~/integrations/upstream/request-scope.server");
  const { TEST_REQUEST_LIMIT_MS: limit } = process.env;
  if (limit) {
    requestLimit.ms = Number(limit);
    await supabase.sql(letLocksTake(Number(limit)));
  }

  let visitors = 0;
  function visitor(): Person {
    visitors += 1;
    return new AppPerson(appUrl, supabase.url, `10.0.${visitors >> 8}.${visitors & 255}`);
  }

  /** Sends a webhook to the app as a service does, which is not a browser. */
  async function sendToApp(
    body: string,
    headers: Record<string, string>,
    { path = "/webhooks/stripe", leaveWork = false } = {},
  ): Promise<{ status: number; body: string; type: string }> {
    const response = await visitor().post(path, undefined, {
      body,
      headers,
      origin: null,
      secFetchSite: null,
      leaveWork,
    });
    return {
      status: response.status,
      body: response.body,
      type: response.headers.get("Content-Type") ?? "",
    };
  }

  async function askAuth(path: string, body: object): Promise<Row> {
    const response = await fetch(`${supabase.url}/auth/v1/${path}`, {
      method: "POST",
      headers: { apikey: supabase.publishableKey, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Row;
    if (!response.ok)
      throw new Error(`The auth service refused ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  let accounts = 0;
  /** A person who signed up, confirmed their email address, and is signed in. */
  async function owner(fields: AccountFields = {}): Promise<Member> {
    accounts += 1;
    const email = fields.email ?? `owner-${accounts}@example.test`;
    const password = fields.password ?? PASSWORD;
    const fullName = fields.fullName ?? `Owner ${accounts}`;
    await askAuth("signup", {
      email,
      password,
      data: {
        full_name: fullName,
        phone: fields.phone ?? "",
        pronouns: fields.pronouns ?? "",
        postalcode: fields.postalCode ?? "",
        opted_in: fields.optedIn ?? false,
        sms_opted_in: fields.smsOptedIn ?? false,
        consent_text_version: "test",
        consent_page: "/signup",
        sign_up_proof: "x".repeat(43),
      },
    });
    await mailAbout(email, "");
    const { token } = mail(email);
    // In the browser in which they signed up, so that the account keeps its password.
    await supabase.sql("select private.recognize_sign_up($1, repeat('x', 43))", [token]);
    const session = await askAuth("verify", { type: "email", token_hash: token });
    const person = await withSession(session);
    return Object.assign(person, {
      id: (session["user"] as Row)["id"] as string,
      email,
      password,
      fullName,
    });
  }

  /** A browser with the cookie of this session. */
  async function withSession(session: Row): Promise<Person> {
    const person = visitor();
    const kept = await serializeSession({
      accessToken: session["access_token"] as string,
      refreshToken: session["refresh_token"] as string,
      expiresAt: Math.floor(Date.now() / 1000) + (session["expires_in"] as number),
    });
    person.cookies.store(new Headers({ "Set-Cookie": kept }));
    return person;
  }

  /** The same account in another browser, with a session of its own. */
  async function signIn({ id, email, password, fullName }: Member): Promise<Member> {
    const person = await withSession(
      await askAuth("token?grant_type=password", { email, password }),
    );
    return Object.assign(person, { id, email, password, fullName });
  }

  /** A person whose account is an admin. */
  async function admin(fields: AccountFields = {}): Promise<Member> {
    const person = await owner({
      ...fields,
      email: fields.email ?? `admin-${accounts + 1}@example.test`,
      fullName: fields.fullName ?? `Admin ${accounts + 1}`,
    });
    await supabase.sql("update public.profiles set admin = true where id = $1", [person.id]);
    return person;
  }

  /** The newest email to this address. @throws when there is none */
  function mail(to: string): MailWithLink {
    const found = supabase.mails.findLast((one) => one.to === to);
    if (!found) {
      const others = supabase.mails.map((one) => `${one.to}: ${one.subject}`).join("\n");
      throw new Error(`No email was sent to ${to}. These were sent:\n${others || "(none)"}`);
    }
    return withLink(found);
  }

  function withLink(found: Mail): MailWithLink {
    const link = found.links.find((one) => one.startsWith(appUrl));
    const path = link?.slice(appUrl.length) ?? "";
    const query = link ? new URL(link).searchParams : undefined;
    const token = query?.get("token_hash") ?? query?.get("token") ?? "";
    return { ...found, link: path, token };
  }

  /**
   * The newest email to this address whose subject contains this. Waits for it, since the dashboard
   * sends its own emails after it has answered.
   */
  async function mailAbout(to: string, subject: string): Promise<MailWithLink> {
    const deadline = Date.now() + 120_000;
    for (;;) {
      const found = supabase.mails.findLast(
        (one) => one.to === to && one.subject.includes(subject),
      );
      if (found) return withLink(found);
      if (Date.now() > deadline)
        throw new Error(
          `No email about "${subject}" came to ${to}; the newest is ${mail(to).subject}.`,
        );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Lets the time pass in which decisions can be undone, and delivers the emails that are due then. */
  async function passUndoWindow(): Promise<void> {
    await supabase.sql(
      "update private.decision_batches set decided_at = decided_at - interval '12 minutes' where decided_at is not null",
    );
    await supabase.sql(
      "update private.email_queue set next_try_at = next_try_at - interval '12 minutes' where sent_at is null",
    );
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
  }

  /** Inserts a row into a table, past the app. @returns the row as it is then */
  async function insert(table: string, row: Row): Promise<Row> {
    const entries = Object.entries(row).filter(([, value]) => value !== undefined);
    const columns = entries.map(([name]) => `"${name}"`).join(", ");
    const values = entries.map((_, index) => `$${index + 1}`).join(", ");
    const [made] = await supabase.sql(
      `insert into public.${table} (${columns}) values (${values}) returning *`,
      entries.map(([, value]) => value),
    );
    return made!;
  }

  let listings = 0;
  /** Inserts a complete listing, published unless stated otherwise, by the columns of the table. */
  async function listing(
    fields: Row & { owner?: Member | string | null } = {},
  ): Promise<Row & { id: number; name: string }> {
    listings += 1;
    const { owner: by, ...columns } = fields;
    const made = await insert("places", {
      name: `Listing ${listings}`,
      category: 1,
      description: "A place for everyone.",
      address: "1 Castro St, San Francisco, CA 94114",
      rawaddress: "1 Castro St, San Francisco, CA 94114",
      city: "San Francisco",
      state: "CA",
      country: "US",
      postalcode: "94114",
      third_party_auth: true,
      certified_queer: true,
      status: "published",
      owner: typeof by === "object" ? by?.id : by,
      owner_email: typeof by === "object" ? by?.email : undefined,
      ...columns,
    });
    return made as Row & { id: number; name: string };
  }

  /** Inserts a complete job, a draft unless stated otherwise, by the columns of the table. */
  async function job(
    fields: Row & { owner?: Member | null } = {},
  ): Promise<Row & { id: number; title: string }> {
    const { owner: by, ...columns } = fields;
    const made = await insert("jobs", {
      title: "Baker",
      category: 85,
      description: "Bake.",
      location: ["Oregon"],
      company_name: "X",
      company_bio: "Y",
      owner: by?.id,
      owner_email: by?.email,
      ...columns,
    });
    return made as Row & { id: number; title: string };
  }

  return {
    appUrl,
    supabase,
    get stripe(): TestStripe {
      if (!stripe) throw new Error("This world has no Stripe: createWorld({ stripe: true }).");
      return stripe;
    },
    /** The address of the database, when it is a Postgres. */
    databaseUrl: copy?.url ?? null,
    /** Runs a statement as superuser, to arrange data or to read past the app. */
    sql: (query: string, params: readonly unknown[] = []) => supabase.sql(query, params),
    anonymous: visitor,
    owner,
    admin,
    signIn,
    mail,
    mailAbout,
    passUndoWindow,
    insert,
    listing,
    job,
    /** One row of a table by id, as it is now; undefined when it does not exist. */
    async row(table: string, id: unknown): Promise<Row | undefined> {
      return (await supabase.sql(`select * from public.${table} where id = $1`, [id]))[0];
    },
  };
}
