/** The export of one's own data: every table and column is decided on, and nothing of others is in it. */
import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { type Caller, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { person, place, sql } = database;

/** Tables that refer to users and are not part of the export, and why. */
const OMITTED_TABLES: Record<string, string> = {
  "private.confirmed_accounts":
    "that the address was confirmed a moment ago, until the session of that link begins",
  "private.handoff_codes": "secrets that live for a minute",
  "private.reporters": "part of the reports",
  "private.recovery_codes": "secrets, of which there are only hashes",
  "private.sign_ups": "secrets that are deleted when the address is confirmed",
};
/** Columns that are not part of the export. */
const OMITTED_COLUMNS: Record<string, string[]> = {
  // What the text is found by; the user's own id, which the part is about.
  "public.profiles": ["full_name_search", "email_search"],
  "private.user_positions": ["user_id"],
  "public.consents": ["id", "user_id"],
  // How a former owner paid, a form's token, and what the text is found by.
  "public.places": [
    "owner",
    "stripe_cus_id",
    "stripe_subscription_id",
    "submission_id",
    "name_search",
    "name_key",
  ],
  "public.listing_drafts": ["owner"],
  "public.rejected_edits": [],
  // Other people's ids.
  "public.listing_managers": ["profile_id", "invited_by"],
  "public.manager_invitations": ["invited_by", "accepted_by"],
  "public.jobs": ["owner", "submission_id"],
  "public.sponsorships": ["owner", "submission_id"],
  // How we keep account with the payment provider.
  "public.orders": [
    "owner",
    "attempt",
    "stripe_checkout_session_id",
    "stripe_payment_intent_id",
    "stripe_subscription_id",
    "expires_at",
    "seen",
  ],
  "public.subscriptions": ["owner", "surplus", "seen"],
  "public.favorites": ["user_id"],
  // What the owner of the listing made of the message.
  "public.leads": ["requester", "state", "notes", "version"],
  // What the team noted.
  "public.events": ["user_id", "note", "version"],
  "public.feedback": ["userid"],
  "public.email_preferences": ["user_id"],
  "private.email_queue": [
    "id",
    "recipient",
    "place_id",
    "invitation_id",
    "address",
    "key",
    "attempts",
    "next_try_at",
  ],
  "public.payments": ["owner", "created_at"],
  // What an admin did about it, and how often it was tried, is the team's.
  "public.refunds": ["requested_by", "stripe_id", "attempt", "made_at", "failed_at", "modified_at"],
  "private.account_deletions": ["user_id"],
  "public.saved_views": ["owner"],
  "private.review_locks": ["admin"],
  "private.decision_batches": [
    "admin",
    "filter",
    "left_out",
    "more",
    "expires_at",
    "reports",
    "report_versions",
  ],
  "public.audit_log": ["actor", "actor_role"],
};

const parts = (
  await sql("select key, relation::text as relation, columns from private.my_data_parts()")
).map((row) => ({
  key: String(row["key"]),
  relation: String(row["relation"]).replace(/^(?!private\.|public\.)/, "public."),
  columns: row["columns"] as string[],
}));

describe("the parts", () => {
  it("include every table that refers to users, or it is omitted on purpose", async () => {
    const tables = (
      await sql(
        `select distinct format('%s.%s', c.relnamespace::regnamespace, c.relname) as name
         from private.columns_referencing_users() u join pg_class c on c.oid = u.relation`,
      )
    ).map(({ name }) => String(name));
    expect(tables.length).toBeGreaterThan(15);
    const decided = [...parts.map(({ relation }) => relation), ...Object.keys(OMITTED_TABLES)];
    expect(
      tables.filter((name) => !decided.includes(name)),
      "Give these a part in private.my_data_parts(), or say in this test why not.",
    ).toEqual([]);
  });

  it("decide on every column, and name none that doesn't exist", async () => {
    for (const relation of new Set(parts.map((part) => part.relation))) {
      const columns = (
        await sql(
          "select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped",
          [relation],
        )
      ).map(({ name }) => String(name));
      const exported = parts
        .filter((part) => part.relation === relation)
        .flatMap((part) => part.columns);
      const omitted = OMITTED_COLUMNS[relation] ?? [];
      expect([...new Set([...exported, ...omitted])].sort(), relation).toEqual(columns.sort());
      expect(
        exported.filter((column) => omitted.includes(column)),
        relation,
      ).toEqual([]);
    }
  });

  it("have keys of their own, which are documented", () => {
    const keys = parts.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    const text = readFileSync(new URL("../../docs/mobile-app.md", import.meta.url), "utf8");
    expect([...keys, "account"].filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
  });
});

describe("the export", () => {
  const exported = async (by: Caller) =>
    (await by.call("export_my_data")).value as Record<string, Row[]>;

  it("has no row of others who typed the caller's address somewhere", async () => {
    const [me, other] = [await person({ email: "me@example.test" }), await person()];
    await place({
      owner: other.id,
      owner_email: other.email,
      public_email: me.email,
      mailingaddress: "1 Private Road",
      stripe_cus_id: "cus_of_another",
    });
    // A forged copy of the address in a profile, a job, and a message of others.
    await sql("update public.profiles set email = $1 where id = $2", [me.email, other.id]);
    await sql(
      `insert into public.jobs (title, category, description, location, company_name, company_bio, owner, owner_email)
       values ('Baker', 85, 'Bake.', '{New Mexico}', 'X', 'Y', $1, $2)`,
      [other.id, me.email],
    );
    await sql(
      `insert into public.leads (place_id, requester, requester_name, requester_email, message)
       values ($1, $2, 'Kai', $3, 'Not mine')`,
      [await place(), other.id, me.email],
    );
    const data = await exported(me);
    const text = JSON.stringify(data);
    expect(text).not.toMatch(/1 Private Road|cus_of_another|Not mine|Baker/);
    expect(text).not.toContain(other.id);
    expect(data["profile"]).toMatchObject([{ id: me.id, email: me.email }]);
  });

  it("has what is the caller's, in listed columns alone", async () => {
    const me = await person({ email: "mine@example.test" });
    const mine = await place({
      owner: me.id,
      name: "Mine",
      mailingaddress: "2 Own Road",
      stripe_cus_id: "cus_of_a_former_owner",
    });
    await place({ owner: null, owner_email: me.email, name: "To claim", mailingaddress: "3 Road" });
    await me.insert("leads", {
      place_id: await place(),
      requester_name: "Kai",
      requester_email: "x@example.test",
      message: "Mine to read",
    });
    await sql("update public.leads set notes = 'Notes of the owner'");
    await me.insert("events", { event_name: "report_listing", place: await place(), data: {} });
    await sql("update public.events set note = 'Note of the team'");
    await me.insert("favorites", { user_id: me.id, place_id: await place() });
    const data = await exported(me);
    expect(Object.keys(data).sort()).toEqual([...parts.map(({ key }) => key), "account"].sort());
    expect(data["listings"]).toMatchObject([{ id: mine, mailingaddress: "2 Own Road" }]);
    expect(data["listings_to_claim"]).toMatchObject([{ name: "To claim" }]);
    expect(data["messages_i_sent"]).toMatchObject([{ message: "Mine to read" }]);
    expect(data["reports"]).toHaveLength(1);
    expect(data["favorites"]).toHaveLength(1);
    expect(JSON.stringify(data)).not.toMatch(/former_owner|3 Road|Notes of|Note of/);
    for (const { key, columns } of parts)
      for (const row of data[key]!) expect(Object.keys(row).sort(), key).toEqual(columns.sort());
  });

  it("finds nothing by an address that is not confirmed", async () => {
    const unconfirmed = await person({ email: "claims@example.test", confirmed: false });
    await place({ owner: null, owner_email: "claims@example.test" });
    const data = await exported(unconfirmed);
    expect(data["listings_to_claim"]).toEqual([]);
    expect(data["profile"]).toHaveLength(1);
  });
});
