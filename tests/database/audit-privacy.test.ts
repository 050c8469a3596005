/** The audit log can't be erased, so nothing about a person is written to it that erasing them would have to remove. */
import { describe, expect, it } from "vitest";

import { SUBJECTS } from "~/modules/audit/labels";

import { type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { person, place, sql } = database;
const entriesAbout = (subject: string, id: string) =>
  sql(
    "select before, after from public.audit_log where subject = $1 and subject_id = $2 order by id",
    [subject, id],
  );

/** Texts and positions that are written to the log as they are, each for a reason. */
const RECORDED = {
  // What the public reads of a listing, or did; it stays with the listing. Before that, see below.
  places: `name licensed_locations city state country description url tiktok instagram xtwitter youtube facebook
    linkedin status proxi_id name_key stripe_cus_id stripe_subscription_id subscription_status`,
  jobs: "title description pay_range url location city ally_safety company_name company_bio",
  sponsorships: "promo_text link location photo_location",
  orders: `kind plan currency status coupon refund_reason stripe_customer_id stripe_checkout_session_id
    stripe_payment_intent_id stripe_subscription_id item_name`,
  refunds: "payment_id stripe_id status reason",
  // Ids at Stripe say nothing by themselves.
  subscriptions: "id status stripe_customer_id plan",
  events: "state",
  feedback: "",
  profiles: "",
} as Record<string, string>;

/** Those that are also written about what the public has never seen. */
const RECORDED_BEFORE = {
  // By the name and the title, admins recognize what an entry is about.
  places: `name licensed_locations city state country status proxi_id name_key stripe_cus_id stripe_subscription_id
    subscription_status`,
  jobs: "title city",
  sponsorships: "",
};
const toColumns = (recorded: Record<string, string>) =>
  Object.entries(recorded).flatMap(([table, names]) =>
    names
      .split(/\s+/)
      .filter(Boolean)
      .map((name) => `${table}.${name}`),
  );

describe("the audit log", () => {
  it("withholds each column about a person, also one that is added later", async () => {
    const columns = await sql(`
      select distinct c.relname as "table", a.attname as "column",
        private.audit_value(a.attname, case when a.atttypid = 'float8'::regtype then '1.2345' else '"x"' end::jsonb, true) as value,
        a.attname = any (private.texts_withheld_until_public()) as "onlyWhenPublic"
      from pg_trigger t join pg_proc p on p.oid = t.tgfoid and p.proname = 'write_audit'
      join pg_class c on c.oid = t.tgrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'float8'::regtype)
        and (t.tgnargs = 0 or a.attname = any (rtrim(encode(t.tgargs, 'escape'), '\\000')::text[]))
      order by 1, 2`);
    const tables = [...new Set(columns.map(({ table }) => String(table)))];
    expect(tables).toEqual(expect.arrayContaining(["events", "jobs", "orders", "places"]));
    const written = columns.filter(({ value }) => value === "x" || value === 1.2345);
    const unexpected = (found: typeof written, recorded: Record<string, string>) =>
      found
        .map(({ table, column }) => `${String(table)}.${String(column)}`)
        .filter((column) => !toColumns(recorded).includes(column));
    expect(unexpected(written, RECORDED)).toEqual([]);
    const before = written.filter(
      ({ table, onlyWhenPublic }) =>
        Object.hasOwn(RECORDED_BEFORE, String(table)) && onlyWhenPublic === false,
    );
    expect(unexpected(before, RECORDED_BEFORE)).toEqual([]);
    // Admins read what an entry is about in words.
    expect(tables.filter((table) => !Object.hasOwn(SUBJECTS, table))).toEqual([]);
  });

  it("has nothing about someone who was erased", async () => {
    const [someone, admin] = [
      await person({ email: "erased@people.example", data: { full_name: "Erin Erased" } }),
      await person({ admin: true }),
    ];
    const about = {
      owner: someone.id,
      owner_email: someone.email,
      public_email: someone.email,
      phone: "+1 505-555-0177",
      mailingaddress: "PO Box 4711, Taos",
      rawaddress: "12 Secret Lane, Taos",
      address: "12 Secret Lane, Taos, NM 87571",
      postalcode: "87571",
      lat: 36.407249,
      long: -105.573066,
    };
    const moved = { lat: 36.511111, long: -105.922222, rawaddress: "13 Secret Lane" };
    // Published, so that an edit waits with the approved values beside it.
    const id = await place({ ...about, status: "published" });
    await someone.update("places", `id=eq.${id}`, { ...moved, phone: "+1 505-555-0188" });
    await sql("update public.places set phone = null, lat = null, long = null where id = $1", [id]);
    const [job] = await sql(
      `insert into public.jobs (title, category, description, location, company_name, company_bio, owner, owner_email)
       values ('Baker', 85, 'Bread.', '{New Mexico}', 'Bakery', 'Bread', $1, $2) returning id`,
      [someone.id, someone.email],
    );
    await sql(
      `insert into public.orders (kind, job_id, days, unit_price_cents, owner)
       values ('job', $1, 45, 500, $2)`,
      [job!["id"], someone.id],
    );
    await someone.insert("events", {
      event_name: "report_listing",
      place: id,
      user_id: someone.id,
      data: { reason: "Closed" },
    });
    const [event] = await sql("select id::int from public.events where place = $1", [id]);
    await admin.call("update_reports", {
      ids: [event!["id"]],
      to_state: "resolved",
      note: "Erin Erased reports everyone.",
    });
    await sql("update public.profiles set phone = '+1 505-555-0177', admin = true where id = $1", [
      someone.id,
    ]);
    await sql("select private.erase_user($1)", [someone.id]);

    const entries = await sql("select before, after, subject from public.audit_log order by id");
    expect(new Set(entries.map(({ subject }) => subject))).toEqual(
      new Set(["places", "jobs", "orders", "events", "profiles"]),
    );
    const text = JSON.stringify(entries);
    expect(text).not.toMatch(
      /people\.example|Erin|555-01|4711|Secret Lane|87571|36\.40|36\.51|105\.57|105\.92/i,
    );
    // That it moved, and roughly how far, remains.
    expect(entries.map(({ after }) => after)).toContainEqual(
      expect.objectContaining({ lat: 36.5, long: -105.9, rawaddress: "[withheld]" }),
    );
  });

  it("says which texts of something that was never public have changed, but not what they said", async () => {
    const someone = await person({ email: "never@people.example" });
    const trace = "never@people.example";
    /** The id of the row of theirs that was just inserted. */
    const idOf = async (table: string) => {
      const [row] = await sql(`select id from public.${table} where owner = $1`, [someone.id]);
      return String(row!["id"]);
    };
    await someone.insert("places", {
      name: "Erin’s Bakery",
      category: 4,
      description: `Write to ${trace}`,
      url: "https://never-public.example",
      linkedin: "https://www.linkedin.com/in/never-public",
      instagram: "@never_public",
      rawaddress: "12 Secret Lane",
      city: "Taos",
      certified_queer: true,
      third_party_auth: true,
    });
    const listing = await idOf("places");
    await someone.update("places", `id=eq.${listing}`, {
      description: `Write to ${trace} soon`,
      city: "Santa Fe",
    });
    const unpaid = {
      title: "Baker",
      category: 85,
      description: `Send your résumé to ${trace}`,
      pay_range: "Ask never-public",
      location: ["New Mexico"],
      company_name: "Never-public",
      company_bio: "Never-public",
    };
    await someone.insert("jobs", unpaid);
    const job = await idOf("jobs");
    await someone.update("jobs", `id=eq.${job}`, { ally_safety: "never-public" });
    await someone.remove("jobs", `id=eq.${job}`);
    await someone.insert("sponsorships", {
      place_id: listing,
      promo_text: `Write to ${trace}`,
      link: "https://never-public.example",
    });

    const [added, changed] = await entriesAbout("places", listing);
    expect(added).toMatchObject({
      after: {
        name: "Erin’s Bakery",
        city: "Taos",
        status: "new",
        description: "[withheld]",
        url: "[withheld]",
        linkedin: "[withheld]",
        instagram: "[withheld]",
      },
    });
    expect(changed).toMatchObject({
      before: { city: "Taos", description: "[withheld]" },
      after: { city: "Santa Fe", description: "[withheld]" },
    });
    const ofJob = await entriesAbout("jobs", job);
    expect(ofJob).toMatchObject([
      { after: { title: "Baker", description: "[withheld]" } },
      { before: { ally_safety: null }, after: { ally_safety: "[withheld]" } },
      { before: { title: "Baker", description: "[withheld]", pay_range: "[withheld]" } },
    ]);
    expect(await entriesAbout("sponsorships", await idOf("sponsorships"))).toMatchObject([
      { after: { promo_text: "[withheld]", link: "[withheld]" } },
    ]);
    expect(JSON.stringify(await sql("select before, after from public.audit_log"))).not.toMatch(
      /never@people|never.public/i,
    );
  });

  it("has the texts that the public has read, also when it reads them no longer", async () => {
    const owner = await person();
    const id = await place({ owner: owner.id, status: "new", description: "Never public" });
    await sql(
      "update public.places set status = 'published', description = 'Public' where id = $1",
      [id],
    );
    await sql("update public.places set status = 'flagged' where id = $1", [id]);
    await sql("update public.places set description = 'Edited' where id = $1", [id]);
    const texts = (await entriesAbout("places", String(id))).map(({ before, after }) => [
      (before as Row | null)?.["description"],
      (after as Row)["description"],
    ]);
    expect(texts).toEqual([
      [undefined, "[withheld]"],
      ["[withheld]", "Public"],
      [undefined, undefined],
      ["Public", "Edited"],
    ]);

    const [job] = await sql(
      `insert into public.jobs (title, category, description, location, company_name, company_bio, owner)
       values ('Baker', 85, 'Bread.', '{New Mexico}', 'Bakery', 'Bread', $1) returning id`,
      [owner.id],
    );
    const change = (set: string) =>
      sql(`update public.jobs set ${set} where id = $1`, [job!["id"]]);
    await change("paid = true, published = true, expiration_date = now() + interval '45 days'");
    await change("description = 'Rolls.'");
    // Refunded.
    await change("paid = false, published = false, expiration_date = null");
    await sql("delete from public.jobs where id = $1", [job!["id"]]);
    const ofJob = await entriesAbout("jobs", String(job!["id"]));
    expect(ofJob[0]).toMatchObject({ after: { description: "[withheld]" } });
    expect(ofJob[2]).toMatchObject({
      before: { description: "Bread." },
      after: { description: "Rolls." },
    });
    expect(ofJob.at(-1)).toMatchObject({ before: { description: "Rolls." } });
  });
});
