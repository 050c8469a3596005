/**
 * Two-step sign-in in the database: what a session may do before and after its second step, who can
 * reach the recovery codes, and who may make it mandatory for admins.
 */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";

import { startDatabase, type Caller } from "./support/data-api";
import { as, claimsOf, inTransaction, startMigratedPostgres } from "./support/real-postgres";

const database = await startDatabase();
const { sql } = database;
const { sql: connection } = await startMigratedPostgres();

const lower = (person: Caller) =>
  sql("update auth.sessions set aal = 'aal1' where id = $1", [person.claims["session_id"]]);
const addFactor = (person: Caller, status = "verified") =>
  sql(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
     values (gen_random_uuid(), $1, 'totp', $2::auth.factor_status, now(), now())`,
    [person.id, status],
  );
const codesOf = (person: Caller) =>
  sql("select code_hash from private.recovery_codes where user_id = $1", [person.id]);
const changesOf = async (person: Caller) =>
  (
    await sql(
      "select action from public.audit_log where subject = 'profiles' and subject_id = $1 and action like 'two-step%' order by id",
      [person.id],
    )
  ).map(({ action }) => action);
const emailsTo = async (person: Caller) =>
  (
    await sql(
      "select data ->> 'change' as change from private.email_queue where recipient = $1 and kind = 'two-step-changed' order by created_at",
      [person.id],
    )
  ).map(({ change }) => change);

it("reports five changes an hour at once, and the last of all others by one email at its end", async () => {
  const person = await database.person();
  const turnOn = async () => {
    await addFactor(person, "unverified");
    await sql("update auth.mfa_factors set status = 'verified' where user_id = $1", [person.id]);
  };
  // At the auth service, again and again.
  for (let n = 0; n < 20; n += 1) {
    await turnOn();
    await sql("delete from auth.mfa_factors where user_id = $1", [person.id]);
  }
  const emails = () =>
    sql(
      `select ceil(extract(epoch from next_try_at - now()) / 60)::int as wait, data ->> 'change' as change
         from private.email_queue where recipient = $1 order by next_try_at, created_at`,
      [person.id],
    );
  const atOnce = ["on", "off", "on", "off", "on"].map((change) => ({ wait: 0, change }));
  expect(await emails()).toEqual([...atOnce, { wait: 60, change: "off" }]);
  await turnOn();
  expect(await emails()).toEqual([...atOnce, { wait: 60, change: "on" }]);
});

describe("a session", () => {
  it("has no rights once a factor is verified and it has not passed the second step", async () => {
    const person = await database.person();
    expect((await person.select("profiles")).rows).toHaveLength(1);
    await addFactor(person, "unverified");
    expect((await person.select("profiles")).rows).toHaveLength(1);
    await sql("update auth.mfa_factors set status = 'verified' where user_id = $1", [person.id]);
    expect((await person.select("profiles")).rows).toEqual([]);
    expect(
      (await person.update("profiles", `id=eq.${person.id}`, { full_name: "X" })).rows,
    ).toEqual([]);
    expect((await person.call("issue_handoff_code")).status).toBe(403);
  });

  it("needs both the session and the token to say that it passed", async () => {
    const person = await database.person({ secondStep: true });
    expect((await person.select("profiles")).rows).toHaveLength(1);
    // The token of before, or one that was issued before the factor was replaced.
    await lower(person);
    expect((await person.select("profiles")).rows).toEqual([]);

    const early = await database.person();
    await addFactor(early);
    await sql("update auth.sessions set aal = 'aal2' where user_id = $1", [early.id]);
    expect((await early.select("profiles")).rows).toEqual([]);
  });

  it("learns before it only what the second step needs", async () => {
    const person = await database.person({ email: "half@example.test" });
    await addFactor(person);
    const [factor] = await sql("select id from auth.mfa_factors where user_id = $1", [person.id]);
    expect((await person.call("my_session")).value).toEqual({
      second_step_due: true,
      user_id: person.id,
      email: "half@example.test",
      discreet: false,
      factors: [factor!["id"]],
    });
    await sql("delete from auth.sessions where user_id = $1", [person.id]);
    expect((await person.call("my_session")).value).toBeNull();
  });
});

describe("recovery codes", () => {
  it("are ten, stored as hashes, and replaced as a whole", async () => {
    const person = await database.person({ secondStep: true });
    const first = (await person.call("create_recovery_codes")).value as string[];
    expect(first).toHaveLength(10);
    for (const code of first) expect(code).toMatch(/^[0-9a-f]{5}(-[0-9a-f]{5}){2}$/);
    const stored = (await codesOf(person)).map(({ code_hash: hash }) => String(hash));
    expect(stored).toHaveLength(10);
    for (const hash of stored) expect(hash).toMatch(/^[0-9a-f]{64}$/);

    const bystander = await database.person();
    /** The transaction that locked the row last. */
    const lockOf = async ({ id }: { id: string }) =>
      (await database.sql("select xmax::text from public.profiles where id = $1", [id]))[0]![
        "xmax"
      ];
    const [own, others] = [await lockOf(person), await lockOf(bystander)];
    await person.call("create_recovery_codes");
    expect(await lockOf(person)).not.toBe(own);
    expect(await lockOf(bystander), "no one else waits for it").toBe(others);
    const replaced = (await codesOf(person)).map(({ code_hash: hash }) => String(hash));
    expect(replaced).toHaveLength(10);
    expect(replaced.filter((hash) => stored.includes(hash))).toEqual([]);
    expect(await changesOf(person)).toEqual(["two-step-new-codes"]);
    expect(await emailsTo(person)).toEqual(["new-codes"]);

    // Only their user is told that there are some.
    expect((await person.call("my_second_step")).value).toMatchObject({ codes_left: 10 });
    const other = await database.person();
    expect((await other.call("my_second_step")).value).toEqual({
      since: null,
      factors: [],
      codes_left: 0,
    });
  });

  it("need a second step that is on and was passed a moment ago", async () => {
    const without = await database.person();
    expect(await without.call("create_recovery_codes")).toMatchObject({ status: 403 });
    const earlier = await database.person({ secondStep: "long ago" });
    for (const name of ["create_recovery_codes", "turn_off_second_step"])
      expect(await earlier.call(name)).toMatchObject({
        status: 400,
        message: "second_step_code_needed",
      });
    const half = await database.person();
    await addFactor(half);
    expect(await half.call("create_recovery_codes")).toMatchObject({ status: 403 });
    expect(await half.call("turn_off_second_step")).toMatchObject({ status: 403 });
  });

  it("work once, in place of the app, and remove everything about it", async () => {
    const person = await database.person({ secondStep: true });
    const [code, other] = (await person.call("create_recovery_codes")).value as string[];
    await lower(person);
    expect((await person.call("use_recovery_code", { code: "00000-00000-00000" })).value).toEqual({
      used: false,
      wait: 0,
    });
    expect((await person.select("profiles")).rows).toEqual([]);
    expect((await person.call("use_recovery_code", { code })).value).toEqual({
      used: true,
      wait: 0,
    });
    expect((await person.select("profiles")).rows).toHaveLength(1);
    expect(await sql("select from auth.mfa_factors where user_id = $1", [person.id])).toEqual([]);
    expect(await codesOf(person)).toEqual([]);
    expect(await changesOf(person)).toEqual(["two-step-recovery-code"]);
    expect(await emailsTo(person)).toEqual(["recovery-code"]);

    await addFactor(person);
    for (const used of [code, other])
      expect((await person.call("use_recovery_code", { code: used })).value).toMatchObject({
        used: false,
      });
  });

  it("end every other session, and leave this one, also when the app opened it", async () => {
    const person = await database.person({ secondStep: true });
    const [code] = (await person.call("create_recovery_codes")).value as string[];
    const [app, waiting] = [randomUUID(), randomUUID()];
    // The app, on a lost phone, and someone who has guessed the password.
    await sql(
      "insert into auth.sessions (id, user_id, aal) values ($1, $3, 'aal2'), ($2, $3, 'aal1')",
      [app, waiting, person.id],
    );
    await sql("select private.tie_handed_over_session($1, $2)", [person.claims["session_id"], app]);
    await lower(person);
    expect((await person.call("use_recovery_code", { code })).value).toMatchObject({ used: true });
    expect(await sql("select id from auth.sessions where user_id = $1", [person.id])).toEqual([
      { id: person.claims["session_id"] },
    ]);
    expect((await person.select("profiles")).rows).toHaveLength(1);
  });

  it("of another user are wrong", async () => {
    const [person, other] = [
      await database.person({ secondStep: true }),
      await database.person({ secondStep: true }),
    ];
    const [code] = (await other.call("create_recovery_codes")).value as string[];
    await lower(person);
    expect((await person.call("use_recovery_code", { code })).value).toMatchObject({ used: false });
    expect(await codesOf(other)).toHaveLength(10);
  });

  it("can be tried ten times in a quarter of an hour", async () => {
    const person = await database.person({ secondStep: true });
    const [code] = (await person.call("create_recovery_codes")).value as string[];
    await lower(person);
    for (let turn = 0; turn < 10; turn += 1)
      await person.call("use_recovery_code", { code: `wrong ${turn}` });
    const { value } = await person.call("use_recovery_code", { code });
    expect(value).toMatchObject({ used: false });
    expect((value as { wait: number }).wait).toBeGreaterThan(800);
    expect(await codesOf(person)).toHaveLength(10);
  });

  it("are used by no one whose session has ended", async () => {
    const person = await database.person({ secondStep: true });
    const [code] = (await person.call("create_recovery_codes")).value as string[];
    await sql("delete from auth.sessions where id = $1", [person.claims["session_id"]]);
    expect(await person.call("use_recovery_code", { code })).toMatchObject({
      status: 403,
      code: "42501",
      message: "session_required",
    });
    expect(await codesOf(person)).toHaveLength(10);
    expect(await sql("select from auth.mfa_factors where user_id = $1", [person.id])).toHaveLength(
      1,
    );
  });

  it("are deleted with the account", async () => {
    const person = await database.person({ secondStep: true });
    await person.call("create_recovery_codes");
    await sql("delete from auth.users where id = $1", [person.id]);
    expect(await codesOf(person)).toEqual([]);
  });

  it("are in no one's export of their data", async () => {
    const person = await database.person({ secondStep: true });
    await person.call("create_recovery_codes");
    const exported = JSON.stringify((await person.call("export_my_data")).value);
    for (const { code_hash: hash } of await codesOf(person))
      expect(exported).not.toContain(String(hash));
  });
});

describe("turning it off", () => {
  it("ends the sessions that wait for a code, and no others", async () => {
    const person = await database.person({ secondStep: true });
    const [passed, waiting] = [randomUUID(), randomUUID()];
    await sql(
      "insert into auth.sessions (id, user_id, aal) values ($1, $3, 'aal2'), ($2, $3, 'aal1')",
      [passed, waiting, person.id],
    );
    expect((await person.call("turn_off_second_step")).status).toBeLessThan(300);
    expect(
      (await sql("select id from auth.sessions where user_id = $1", [person.id]))
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([passed, String(person.claims["session_id"])].toSorted());
  });

  it("removes the factors and the codes, and lowers the sessions", async () => {
    const person = await database.person({ secondStep: true });
    await person.call("create_recovery_codes");
    expect((await person.call("turn_off_second_step")).status).toBe(204);
    expect(await sql("select from auth.mfa_factors where user_id = $1", [person.id])).toEqual([]);
    expect(await codesOf(person)).toEqual([]);
    expect(await sql("select aal from auth.sessions where user_id = $1", [person.id])).toEqual([
      { aal: "aal1" },
    ]);
    expect(await emailsTo(person)).toEqual(["off"]);
    expect((await person.select("profiles")).rows).toHaveLength(1);
  });
});

describe("a factor that is added or removed past the dashboard", () => {
  it("is reported to its user: the first one, a further one, with which someone could come back, and each that is gone", async () => {
    const person = await database.person();
    const verify = () =>
      sql("update auth.mfa_factors set status = 'verified' where user_id = $1", [person.id]);
    await addFactor(person, "unverified");
    expect(await emailsTo(person)).toEqual([]);
    await verify();
    await addFactor(person, "unverified");
    await verify();
    expect(await emailsTo(person)).toEqual(["on", "app-added"]);

    await sql(
      "delete from auth.mfa_factors where id = (select id from auth.mfa_factors where user_id = $1 limit 1)",
      [person.id],
    );
    expect(await emailsTo(person)).toEqual(["on", "app-added", "app-removed"]);
    await sql("delete from auth.mfa_factors where user_id = $1", [person.id]);
    const all = ["on", "app-added", "app-removed", "off"];
    expect(await emailsTo(person)).toEqual(all);
    expect(await changesOf(person)).toEqual(all.map((change) => `two-step-${change}`));
  });

  it("ends the sessions that wait for its code when it is removed, and no others: one may be on someone else’s computer", async () => {
    const person = await database.person({ secondStep: true });
    const waiting = randomUUID();
    await sql("insert into auth.sessions (id, user_id, aal) values ($1, $2, 'aal1')", [
      waiting,
      person.id,
    ]);
    await addFactor(person);
    const remove = () =>
      sql(
        "delete from auth.mfa_factors where id = (select id from auth.mfa_factors where user_id = $1 limit 1)",
        [person.id],
      );
    const sessions = () => sql("select id from auth.sessions where user_id = $1", [person.id]);
    await remove();
    expect(await sessions()).toHaveLength(2);
    await remove();
    expect(await sessions()).toEqual([{ id: person.claims["session_id"] }]);
    expect((await person.select("profiles")).rows).toHaveLength(1);
    // That one has not passed the step of an app that is set up later.
    await addFactor(person);
    expect((await person.select("profiles")).rows).toEqual([]);
  });

  it("lowers the sessions that passed with it, and those alone while there is another one", async () => {
    const person = await database.person({ secondStep: true });
    await addFactor(person);
    const [gone, kept] = await sql("select id from auth.mfa_factors where user_id = $1", [
      person.id,
    ]);
    const [lost, mine] = [randomUUID(), randomUUID()];
    await sql(
      `insert into auth.sessions (id, user_id, aal, factor_id)
       values ($1, $3, 'aal2', $4), ($2, $3, 'aal2', $5)`,
      [lost, mine, person.id, gone?.id, kept?.id],
    );
    await sql("delete from auth.mfa_factors where id = $1", [gone?.id]);
    expect(
      await sql("select id, aal from auth.sessions where id in ($1, $2) order by aal", [
        lost,
        mine,
      ]),
    ).toEqual([
      { id: lost, aal: "aal1" },
      { id: mine, aal: "aal2" },
    ]);
  });

  it("ends what it ends once, also when the team removes several in one statement", async () => {
    const person = await database.person({ secondStep: true });
    const waiting = randomUUID();
    await sql("insert into auth.sessions (id, user_id, aal) values ($1, $2, 'aal1')", [
      waiting,
      person.id,
    ]);
    await addFactor(person);
    await sql("delete from auth.mfa_factors where user_id = $1", [person.id]);
    expect(await sql("select id from auth.sessions where user_id = $1", [person.id])).toEqual([
      { id: person.claims["session_id"] },
    ]);
    expect(await emailsTo(person)).toEqual(["off"]);
  });

  it("takes the recovery codes with it", async () => {
    const person = await database.person({ secondStep: true });
    await person.call("create_recovery_codes");
    await sql("delete from auth.mfa_factors where user_id = $1", [person.id]);
    expect(await codesOf(person)).toEqual([]);
  });

  it("is removed with its account, without an email", async () => {
    const person = await database.person({ secondStep: true });
    await sql("delete from auth.users where id = $1", [person.id]);
    expect(await changesOf(person)).toEqual([]);
  });
});

describe("for admins", () => {
  beforeEach(() => sql("delete from private.settings"));
  const require = (by: Caller, mandatory: boolean | null = true) =>
    by.call("require_second_step_of_admins", { mandatory });

  it("only an admin who has it on makes it mandatory", async () => {
    const [owner, plain, admin] = [
      await database.person({ secondStep: true }),
      await database.person({ admin: true }),
      await database.person({ admin: true, secondStep: true }),
    ];
    expect(await require(owner)).toMatchObject({ status: 403 });
    expect(await require(plain)).toMatchObject({
      status: 400,
      message: "own_second_step_first",
    });
    expect(await require(plain, false)).toMatchObject({ status: 400 });
    await lower(admin);
    expect(await require(admin)).toMatchObject({ status: 403 });
    expect(await sql("select from private.settings")).toEqual([]);
  });

  it("takes the rights of those who don't have it, until it is optional again", async () => {
    const plain = await database.person({ admin: true });
    const admin = await database.person({ admin: true, secondStep: true });
    const place = await database.place();
    const sees = async (by: Caller) =>
      (await by.select("places", `id=eq.${place}`)).rows.length === 1;
    expect(await sees(plain)).toBe(true);

    expect((await require(admin)).status).toBe(204);
    expect([await sees(plain), await sees(admin)]).toEqual([false, true]);
    expect((await plain.call("my_session")).value).toMatchObject({
      admin: false,
      admin_needs_second_step: true,
    });
    expect((await admin.call("my_session")).value).toMatchObject({
      admin: true,
      admin_needs_second_step: false,
      second_step: true,
    });
    expect((await admin.call("admin_second_steps")).value).toMatchObject({ mandatory: true });
    expect(await require(plain, false)).toMatchObject({ status: 403 });

    expect((await require(admin, false)).status).toBe(204);
    expect(await sees(plain)).toBe(true);
    const log = await sql(
      "select actor, after from public.audit_log where action = 'require-two-step' order by id",
    );
    expect(log.slice(-2)).toEqual([
      { actor: admin.id, after: { mandatory: true } },
      { actor: admin.id, after: { mandatory: false } },
    ]);
  });

  it("a factor that was removed leaves none, although the token still says aal2", async () => {
    const admin = await database.person({ admin: true, secondStep: true });
    await require(admin);
    await sql("delete from auth.mfa_factors where user_id = $1", [admin.id]);
    expect((await admin.call("admin_second_steps")).status).toBe(403);
    expect(await require(admin, false)).toMatchObject({ status: 403 });
  });
});

describe("on Postgres itself", () => {
  it("the tables are closed to the roles of the data API", async () => {
    const id = crypto.randomUUID();
    await connection`insert into auth.users (id, email, email_confirmed_at) values (${id}, 'own@example.test', now())`;
    await connection`insert into auth.sessions (id, user_id) values (${id}, ${id})`;
    await connection`insert into private.recovery_codes (user_id, code_hash) values (${id}, 'x')`;
    for (const table of ["private.recovery_codes", "private.settings", "auth.mfa_factors"])
      await expect(
        as(connection, { id }, (db) => db`select * from ${db.unsafe(table)}`),
        table,
      ).rejects.toMatchObject({ code: "42501" });
    for (const routine of [
      "private.remove_second_step(uuid, text)",
      "private.report_second_step(uuid, text, uuid)",
      "private.recovery_code_hash(text)",
      "private.has_recent_second_step()",
    ]) {
      const [row] = await connection`
        select bool_or(has_function_privilege(role, ${routine}, 'execute')) as open
        from unnest(array['anon', 'authenticated', 'service_role']) role`;
      expect([routine, row!["open"]]).toEqual([routine, false]);
    }
  });

  it("a code works for its user while someone who knows the password guesses in another session", async () => {
    const [id, guessing] = [randomUUID(), randomUUID()];
    await connection`insert into auth.users (id, email, email_confirmed_at) values (${id}, 'lost@example.test', now())`;
    await connection`insert into auth.sessions (id, user_id) values (${id}, ${id}), (${guessing}, ${id})`;
    await connection`insert into private.recovery_codes (user_id, code_hash)
      values (${id}, private.recovery_code_hash('abcde-abcde-abcde'))`;
    const enter = (session: string, code: string) =>
      inTransaction(connection, async (db) => {
        const claims = { ...claimsOf({ id }), session_id: session };
        await db`select set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
          set_config('request.jwt.claim.sub', ${id}, true), set_config('role', 'authenticated', true)`;
        const [row] = await db`select public.use_recovery_code(${code}) as result`;
        return (row!["result"] as { used: boolean }).used;
      });
    for (let turn = 0; turn < 10; turn += 1) await enter(guessing, `wrong ${turn}`);
    expect(await enter(guessing, "abcde-abcde-abcde")).toBe(false);
    expect(await enter(id, "abcde-abcde-abcde")).toBe(true);
  });

  it("a code that two requests use at once works for one of them", async () => {
    const id = crypto.randomUUID();
    await connection`insert into auth.users (id, email, email_confirmed_at) values (${id}, 'race@example.test', now())`;
    await connection`insert into auth.sessions (id, user_id) values (${id}, ${id})`;
    await connection`insert into private.recovery_codes (user_id, code_hash)
      values (${id}, private.recovery_code_hash('abcde-abcde-abcde'))`;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        inTransaction(connection, async (db) => {
          await db`select set_config('request.jwt.claims', ${JSON.stringify(claimsOf({ id }))}, true),
            set_config('request.jwt.claim.sub', ${id}, true), set_config('role', 'authenticated', true)`;
          const [row] = await db`select public.use_recovery_code('abcde-abcde-abcde') as result`;
          return (row!["result"] as { used: boolean }).used;
        }),
      ),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
  });
});
