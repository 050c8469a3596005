/** Postgres has dates that no page can show: infinity, and years of five digits. None comes in. */
import { expect, it } from "vitest";

import { startDatabase } from "./support/data-api";

const database = await startDatabase();
const { person, place, service, sql } = database;
const row = (table: string, id: unknown) => database.row(table, id);
const owner = await person();
const admin = await person({ admin: true });

const listing = await place({ owner: owner.id, owner_email: owner.email });
const order = (dates: string[]) => ({
  place_id: listing,
  promo_text: "Come in",
  owner: owner.id,
  sponsorship_dates: dates,
});

it("an admin blocks at most 200 newsletters at once", async () => {
  const days = Array.from({ length: 201 }, (_, week) =>
    new Date(Date.UTC(2099, 0, 6 + 7 * week)).toISOString().slice(0, 10),
  );
  expect(await admin.call("block_newsletters", { days, blocked: true })).toMatchObject({
    message: "too_many_dates",
  });
  expect(
    (await admin.call("block_newsletters", { days: days.slice(1), blocked: true })).status,
  ).toBe(204);
});

it.each(["infinity", "-infinity", "99999-01-05", "4713-01-01 BC"])(
  "%s is no date of a newsletter",
  async (day) => {
    for (const by of [owner, admin, service]) {
      const refused = await by.insert("sponsorships", order([day]));
      expect(refused).toMatchObject({ message: "not_a_newsletter_day" });
    }
    const [made] = await sql(
      "insert into public.sponsorships (place_id, promo_text, owner) values ($1, 'x', $2) returning id",
      [listing, owner.id],
    );
    const id = Number(made!["id"]);
    expect(
      await owner.update("sponsorships", `id=eq.${id}`, { sponsorship_dates: ["2099-01-06", day] }),
    ).toMatchObject({ message: "not_a_newsletter_day" });
    expect(await row("sponsorships", id)).toMatchObject({ sponsorship_dates: [] });
    expect((await admin.insert("sponsorship_dates", { weekday_date: day })).code).toBe("23514");
    expect((await admin.call("block_newsletters", { days: [day], blocked: true })).message).toBe(
      "not_a_newsletter_day",
    );
    await expect(
      sql("insert into public.sponsorship_dates (weekday_date) values ($1)", [day]),
    ).rejects.toThrow(/check/);
  },
);

it("is refused in a row past the guards, too", async () => {
  await sql("alter table public.sponsorships disable trigger t1_guard");
  for (const day of ["infinity", "-infinity"])
    await expect(
      sql(
        `insert into public.sponsorships (place_id, promo_text, sponsorship_dates) values (${listing}, 'x', '{${day}}')`,
      ),
    ).rejects.toThrow(/sponsorship_dates_are_finite/);
  await sql("alter table public.sponsorships enable trigger t1_guard");
});

it("every date and time that users can send is checked, also in a table that is added later", async () => {
  const unchecked = await sql(`
    select c.relname || '.' || a.attname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and format_type(a.atttypid, null) ~ '^(date|timestamp)'
      and (has_column_privilege('authenticated', c.oid, a.attnum, 'insert')
        or has_column_privilege('authenticated', c.oid, a.attnum, 'update')
        or has_column_privilege('anon', c.oid, a.attnum, 'insert'))
      and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'c'
        and a.attnum = any (k.conkey) and pg_get_constraintdef(k.oid) ~ 'isfinite|infinity')
    order by 1`);
  expect(unchecked.map(({ name }) => name)).toEqual([]);
});

it("an admin can't say that a listing is Featured since forever", async () => {
  const refused = await admin.update("places", `id=eq.${listing}`, {
    premium: true,
    premium_created_at: "infinity",
  });
  expect(refused.code).toBe("23514");
  expect(await row("places", listing)).toMatchObject({ premium: false });
});
