/** What the team writes to the owner of a listing, and what is stored of an edit, is for that owner alone. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";

import { type Caller, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { person, place, service, sql } = database;
const row = (table: string, id: unknown) => database.row(table, id);
const admin = await person({ admin: true });
const WORDS = "Your passport says Robert, but the form says Rosa.";

async function decide(id: number, action: string, reason?: string): Promise<string> {
  const batch = randomUUID();
  const { version } = await row("places", id);
  const decided = await admin.call("decide_listings", {
    batch,
    action,
    ...(reason ? { reason } : {}),
    items: [{ id, version }],
  });
  expect(decided.value).toMatchObject({ counts: { done: 1 } });
  return batch;
}
const undo = async (batch: string) =>
  (await admin.call("undo_decisions", { batch })).value as { counts: Row };

const leaves: [
  how: string,
  leave: (id: number, owner: Caller, next: Caller) => Promise<unknown>,
][] = [
  [
    "an admin gives it to someone else",
    (id, _, next) => admin.update("places", `id=eq.${id}`, { owner: next.id }),
  ],
  [
    "its owner is erased, and someone gets it then",
    async (id, owner, next) => {
      await admin.call("admin_delete_user", { userid: owner.id });
      await admin.update("places", `id=eq.${id}`, { owner: next.id });
    },
  ],
  [
    "its owner is deleted past our functions, and someone claims it then",
    async (id, owner, next) => {
      await sql("delete from auth.users where id = $1", [owner.id]);
      await sql("update public.places set owner_email = $2 where id = $1", [id, next.email]);
      await next.update("places", `id=eq.${id}`, { hidden: false });
    },
  ],
];

/**
 * The emails that are sent once nothing is to be undone anymore, except that a listing is someone's now, or can be: it
 * has only its name, the number of its jobs, and that it is hidden, if it is.
 */
async function sentLater(): Promise<Row[]> {
  await sql("update private.email_queue set next_try_at = now() where sent_at is null");
  const sent = (await service.call("lease_emails", { max_emails: 100 })).rows;
  const received = sent.filter(
    ({ kind }) => kind === "listing-received" || kind === "listing-added",
  );
  for (const { data, kind } of received) {
    const { hidden = true, ...about } = data as Row;
    expect(hidden).toBe(true);
    expect(Object.keys(about).sort()).toEqual(
      kind === "listing-added"
        ? ["name", "place_id"]
        : ["featured", "jobs", "name", "newsletters", "place_id"],
    );
  }
  return sent.filter((email) => !received.includes(email));
}

describe.each(leaves)("when %s", (how, leave) => {
  const erased = how.includes("owner is");

  it("what the team asked for isn't read by the next owner or manager, and isn't sent to them", async () => {
    await sql("delete from private.email_queue");
    const [owner, next, manager] = [await person(), await person(), await person()];
    const id = await place({ owner: owner.id, owner_email: owner.email, status: "new" });
    await decide(id, "request-changes", WORDS);
    expect(JSON.stringify((await owner.select("places", `id=eq.${id}`)).rows)).toContain(WORDS);

    await leave(id, owner, next);
    expect(await row("places", id)).toMatchObject({ owner: next.id, changes_requested: null });
    await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      id,
      manager.id,
    ]);
    for (const reader of [next, manager])
      for (const read of [
        await reader.select("places"),
        await reader.select("managed_places"),
        await reader.select("rejected_edits"),
        await reader.call("my_listings"),
        await reader.call("my_dashboard"),
        await reader.call("my_home"),
        await reader.call("export_my_data"),
      ])
        expect(JSON.stringify(read.value)).not.toContain("passport");
    const sent = await sentLater();
    expect(sent.filter(({ email }) => email !== owner.email && email !== admin.email)).toEqual([]);
    expect(
      sent
        .filter(({ kind }) => kind === "changes-requested")
        .map(({ email, data }) => [email, (data as Row)["reason"]]),
    ).toEqual(erased ? [] : [[owner.email, WORDS]]);
  });

  it("why an edit was rejected goes to no one else, and what was stored of it is gone", async () => {
    await sql("delete from private.email_queue");
    const [owner, next] = [await person(), await person()];
    const id = await place({ owner: owner.id, owner_email: owner.email });
    await owner.update("places", `id=eq.${id}`, {
      mailingaddress: "12 Secret Lane, Taos",
      phone: "+1 505-555-0177",
    });
    const batch = await decide(id, "reject", WORDS);
    expect(
      JSON.stringify(
        await sql("select before from private.decision_rows where batch_id = $1", [batch]),
      ),
    ).toContain("Secret Lane");

    await leave(id, owner, next);
    expect(
      await sql("select before from private.decision_rows where batch_id = $1", [batch]),
    ).toEqual([{ before: null }]);
    const after = await row("places", id);
    expect((await undo(batch)).counts).toMatchObject({ undone: 0, unchanged: 1 });
    expect(await row("places", id)).toEqual(after);
    const sent = await sentLater();
    expect(sent.filter(({ email }) => email === next.email)).toEqual([]);
    expect(sent.filter(({ kind }) => kind === "edit-rejected").map(({ email }) => email)).toEqual(
      erased ? [] : [owner.email],
    );
  });
});

it("what the team asked for stays while the owner stays, and while the listing is claimed by its address", async () => {
  const owner = await person();
  for (const id of [
    await place({ owner: owner.id, owner_email: owner.email, status: "new" }),
    await place({ owner: null, owner_email: owner.email, status: "new" }),
  ]) {
    await sql("delete from private.email_queue");
    await decide(id, "request-changes", WORDS);
    await owner.update("places", `id=eq.${id}`, { hidden: true });
    expect(await row("places", id)).toMatchObject({ owner: owner.id, changes_requested: WORDS });
    expect((await sentLater()).map(({ email }) => email)).toEqual([owner.email]);
  }
});

it("what the team asked of an address isn't shown or sent to the next one of a listing without an owner", async () => {
  await sql("delete from private.email_queue");
  const [first, next] = [await person(), await person()];
  for (const columns of [{ owner_email: next.email }, { owner: next.id }]) {
    const id = await place({ owner: null, owner_email: first.email, status: "new" });
    await decide(id, "request-changes", WORDS);
    await admin.update("places", `id=eq.${id}`, columns);
    expect(await row("places", id)).toMatchObject({
      owner_email: next.email,
      changes_requested: null,
    });
  }
  expect(await sentLater()).toEqual([]);
});

it("what an admin writes together with the next owner is for them", async () => {
  const [owner, next] = [await person(), await person()];
  const id = await place({ owner: owner.id, owner_email: owner.email, status: "new" });
  await decide(id, "request-changes", WORDS);
  await admin.update("places", `id=eq.${id}`, {
    owner: next.id,
    changes_requested: "Add a photo.",
  });
  expect(await row("places", id)).toMatchObject({ changes_requested: "Add a photo." });
});

it("the audit log doesn't repeat it", async () => {
  const owner = await person();
  const id = await place({ owner: owner.id, owner_email: owner.email, status: "new" });
  await decide(id, "request-changes", WORDS);
  expect(
    await sql(
      "select after ->> 'changes_requested' as text from public.audit_log where action = 'request-changes' and subject_id = $1",
      [String(id)],
    ),
  ).toEqual([{ text: "[withheld]" }]);
});

describe("someone who is erased", () => {
  it("isn't in what a decision on someone else's listing would restore, and the rest is restored", async () => {
    const [erased, owner] = [await person(), await person()];
    const id = await place({ owner: owner.id, owner_email: owner.email, phone: "1" });
    await owner.update("places", `id=eq.${id}`, {
      public_email: erased.email.toUpperCase(),
      phone: "2",
    });
    const batch = await decide(id, "reject");
    await admin.call("admin_delete_user", { userid: erased.id });
    expect(
      JSON.stringify(await sql("select before from private.decision_rows")).toLowerCase(),
    ).not.toContain(erased.email);
    expect((await undo(batch)).counts).toMatchObject({ undone: 1 });
    expect(await row("places", id)).toMatchObject({
      status: "pending-update",
      phone: "2",
      public_email: null,
      last_update: { phone: "1" },
    });
  });

  it("isn't in the approved values, either", async () => {
    const [erased, owner] = [await person(), await person()];
    const id = await place({
      owner: owner.id,
      owner_email: owner.email,
      public_email: erased.email,
    });
    await owner.update("places", `id=eq.${id}`, { public_email: "new@example.test" });
    await decide(id, "flag");
    await admin.call("admin_delete_user", { userid: erased.id });
    expect(JSON.stringify(await sql("select before from private.decision_rows"))).not.toContain(
      erased.email,
    );
  });

  it("leaves nothing in batches that have expired, without another batch", async () => {
    const owner = await person();
    const id = await place({ owner: owner.id, owner_email: owner.email, status: "new" });
    const batch = await decide(id, "flag");
    await sql(
      "update private.decision_batches set expires_at = now() - interval '1 second' where id = $1",
      [batch],
    );
    await service.call("due_deletions");
    expect(await sql("select 1 from private.decision_rows where batch_id = $1", [batch])).toEqual(
      [],
    );
  });
});
