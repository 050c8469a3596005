/** Sessions that began with a link to a new password, in the statements of the auth service (GoTrue). */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";

import { RECOVERY_S } from "~/http/session.server";

import { startDatabase, type Caller } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;

/** A person with a password and a link to a new one in their mailbox. */
async function personWithLink(options: Parameters<typeof database.person>[0] = {}) {
  const person = await database.person(options);
  await sql(
    `update auth.users set recovery_token = 'hash', recovery_sent_at = now(), encrypted_password = 'old' where id = $1`,
    [person.id],
  );
  return person;
}
const useLink = ({ id }: Caller) =>
  sql("update auth.users set recovery_token = '' where id = $1", [id]);
const addMethod = (session: string, method: string) =>
  sql(
    `insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
       values (gen_random_uuid(), $1, now(), now(), $2)
       on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey do update set updated_at = now()`,
    [session, method],
  );
async function addSession(session: string, { id }: Caller, method: string) {
  await sql("insert into auth.sessions (id, user_id, aal) values ($1, $2, 'aal1')", [session, id]);
  await addMethod(session, method);
}
/** The session of the person's token begins now. `otp` is what the auth service calls the method of each link. */
async function beginSession(person: Caller, method: string) {
  const session = String(person.claims["session_id"]);
  await sql("delete from auth.sessions where id = $1", [session]);
  await addSession(session, person, method);
}
async function openLink(person: Caller) {
  await useLink(person);
  await beginSession(person, "otp");
}
const setPassword = ({ id }: Caller) =>
  sql(
    "update auth.users set encrypted_password = 'new', recovery_token = '', recovery_sent_at = null where id = $1",
    [id],
  );
const mySession = async (person: Caller) =>
  (await person.call("my_session")).value as Record<string, unknown> | null;
const isLimited = async (person: Caller) => (await mySession(person))!["limited"] === true;

describe("a session that began with a link to a new password", () => {
  it("reads and changes nothing until a password is chosen in it", async () => {
    const person = await personWithLink({ data: { full_name: "Ana", phone: "+1 505-555-0100" } });
    await openLink(person);
    expect((await person.select("profiles")).rows).toEqual([]);
    expect((await person.update("profiles", `id=eq.${person.id}`, { phone: "1" })).rows).toEqual(
      [],
    );
    expect(await person.call("issue_handoff_code")).toMatchObject({ status: 403 });
    expect(await mySession(person)).toMatchObject({
      user_id: person.id,
      email: person.email,
      full_name: null,
      phone: null,
      limited: true,
    });
    await setPassword(person);
    expect((await person.select("profiles")).rows).toHaveLength(1);
    const after = await mySession(person);
    expect(after).toMatchObject({ phone: "+1 505-555-0100" });
    expect(after).not.toHaveProperty("limited");
  });

  it("ends after the time that there is for choosing one, also for the auth service", async () => {
    const person = await personWithLink();
    await openLink(person);
    const [session] = await sql(
      "select extract(epoch from not_after - now())::float as seconds from auth.sessions where user_id = $1",
      [person.id],
    );
    expect(Number(session!["seconds"]) / RECOVERY_S).toBeCloseTo(1, 1);
    await sql("update auth.sessions set not_after = now() where user_id = $1", [person.id]);
    expect(await mySession(person)).toBeNull();
    // The new password comes too late for it: its user chose it elsewhere.
    await setPassword(person);
    expect(await mySession(person)).toBeNull();
  });

  it.each(["recovery", "magiclink", "email_change"])(
    "is limited as well if a code is exchanged for it later (PKCE, %s)",
    async (method) => {
      const person = await personWithLink();
      await useLink(person);
      await beginSession(person, method);
      expect(await isLimited(person)).toBe(true);
    },
  );

  it("stays limited when the auth service encrypts the same password anew, as its user signs in", async () => {
    const person = await personWithLink();
    await openLink(person);
    await sql("update auth.users set encrypted_password = 'anew' where id = $1", [person.id]);
    expect(await isLimited(person)).toBe(true);
    await addSession(randomUUID(), person, "password");
    expect(await mySession(person)).toBeNull();
  });

  it("is limited after a link to a new address, too, which may be a stranger’s", async () => {
    const person = await personWithLink();
    await sql("update auth.users set email = 'new-address@example.test' where id = $1", [
      person.id,
    ]);
    await beginSession(person, "otp");
    expect(await isLimited(person)).toBe(true);
  });

  it("is not limited if it began with the password", async () => {
    const person = await personWithLink();
    await useLink(person);
    await beginSession(person, "password");
    expect(await isLimited(person)).toBe(false);
  });

  it("is limited twice if the auth service answers two calls with one link at once", async () => {
    const person = await personWithLink();
    await openLink(person);
    await openLink(person);
    expect(await isLimited(person)).toBe(true);
  });

  it("begins no change of address and adds no authenticator app, which would lift the limit or outlast it", async () => {
    const person = await personWithLink();
    await openLink(person);
    const changeAddress = () =>
      sql("update auth.users set email_change = 'thief@example.test' where id = $1", [person.id]);
    const addApp = () =>
      sql(
        `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
           values (gen_random_uuid(), $1, 'totp', 'unverified', now(), now())`,
        [person.id],
      );
    const expectRefusals = async () => {
      await expect(changeAddress()).rejects.toThrow("session_limited");
      await expect(addApp()).rejects.toThrow("session_limited");
    };
    await expectRefusals();
    // Its token works at the auth service for some time after the session's end.
    await sql("update auth.sessions set not_after = now() where user_id = $1", [person.id]);
    await expectRefusals();
    // Its user, who signs in with the password to do that, ends it.
    const own = randomUUID();
    await addSession(own, person, "password");
    expect(await sql("select id from auth.sessions where user_id = $1", [person.id])).toEqual([
      { id: own },
    ]);
    await changeAddress();
    await addApp();
  });

  it("ends no other session by a code of the app", async () => {
    const person = await personWithLink({ secondStep: true });
    const own = randomUUID();
    await addSession(own, person, "password");
    await openLink(person);
    await addMethod(String(person.claims["session_id"]), "totp");
    expect(await sql("select from auth.sessions where user_id = $1", [person.id])).toHaveLength(2);
    // Of the user's own session, it ends the limited one.
    await addMethod(own, "totp");
    expect(await sql("select id from auth.sessions where user_id = $1", [person.id])).toEqual([
      { id: own },
    ]);
  });

  it("is not limited if the link also confirmed the account, once", async () => {
    const person = await personWithLink({ confirmed: false });
    await useLink(person);
    await sql("update auth.users set email_confirmed_at = now() where id = $1", [person.id]);
    await beginSession(person, "otp");
    expect(await isLimited(person)).toBe(false);
    await beginSession(person, "otp");
    expect(await isLimited(person)).toBe(true);
  });

  it("is limited after a sign-up by a code (PKCE), too: that has had its session", async () => {
    const person = await personWithLink({ confirmed: false });
    await sql("update auth.users set email_confirmed_at = now() where id = $1", [person.id]);
    await beginSession(person, "email/signup");
    expect(await isLimited(person)).toBe(false);
    await openLink(person);
    expect(await isLimited(person)).toBe(true);
  });

  it("comes after the second step, and has no rights after it, either", async () => {
    const person = await personWithLink({ secondStep: true });
    await openLink(person);
    const due = await mySession(person);
    expect(due).toMatchObject({ second_step_due: true });
    expect(due).not.toHaveProperty("full_name");
    await sql("update auth.sessions set aal = 'aal2' where user_id = $1", [person.id]);
    expect(await isLimited(person)).toBe(true);
    expect((await person.select("profiles")).rows).toEqual([]);
  });

  it("is the user’s own again when our server says that they are signed in anyway, and no one else can say so", async () => {
    const person = await personWithLink();
    await openLink(person);
    const { session_id } = person.claims;
    expect(await person.call("lift_session_limit", { session_id })).toMatchObject({ status: 403 });
    expect((await database.service.call("lift_session_limit", { session_id })).value).toBe(true);
    expect(await isLimited(person)).toBe(false);
  });
});
