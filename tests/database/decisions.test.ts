/** Decisions on listings, at the data API. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { type Answer, type Caller, type Row, startDatabase } from "./support/data-api";

import { timesTried } from "../support/nightly";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let admin: Caller;
let second: Caller;

beforeAll(async () => {
  owner = await database.person();
  admin = await database.person({ admin: true });
  second = await database.person({ admin: true, data: { full_name: "Kai Two" } });
});

interface BatchRow {
  id: number | null;
  sent: string | null;
  outcome: string | null;
  reasons: string[] | null;
  warnings: string[] | null;
}
interface Batch {
  batch: string;
  selected: number;
  left: number;
  left_out: number;
  left_to_undo: number;
  more: boolean;
  undo_until: string | null;
  undone_at: string | null;
  counts: Record<string, number>;
  reasons: Row[];
  warnings: Row[];
  rows: BatchRow[];
}
const toBatch = (answer: Answer) => {
  if (answer.code) throw new Error(`${answer.code}: ${answer.message}`);
  return answer.value as Batch;
};
const decide = async (action: string, items: unknown, more: Row = {}, by = admin) =>
  toBatch(await by.call("decide_listings", { batch: randomUUID(), action, items, ...more }));
const undo = async (batch: string, by = admin) =>
  toBatch(await by.call("undo_decisions", { batch }));
const readOutcomes = ({ rows }: Batch) =>
  new Map(rows.map(({ id, outcome, reasons }) => [id, [outcome, reasons]]));
const listEntries = (id: number) =>
  sql("select * from public.audit_log where subject = 'places' and subject_id = $1 order by id", [
    String(id),
  ]);
const listActions = async (id: number) => (await listEntries(id)).map(({ action }) => action);

/** A published listing of `owner` with an edit that waits: version 2. */
async function createEdited(change: Row, columns: Row = {}): Promise<number> {
  const id = await database.place({ owner: owner.id, owner_email: owner.email, ...columns });
  const { status } = await owner.update("places", `id=eq.${id}`, change);
  expect(status).toBe(204);
  return id;
}

describe("approving", () => {
  it("publishes listings that are new, flagged, or edited, with one audit entry each", async () => {
    const ids: number[] = [];
    for (const status of ["new", "flagged", "pending-update"]) {
      ids.push(
        await database.place({ status, last_update: { name: "Old" }, changes_requested: "?" }),
      );
    }
    const batch = await decide(
      "approve",
      ids.map((id) => ({ id, version: 1 })),
    );
    expect(batch.counts).toMatchObject({ done: 3, refused: 0, stale: 0, missing: 0 });
    for (const id of ids) {
      expect(await database.row("places", id)).toMatchObject({
        status: "published",
        last_update: {},
        changes_requested: null,
        version: 2,
      });
      expect((await listEntries(id)).filter(({ action }) => action === "approve")).toMatchObject([
        { actor: admin.id, after: { status: "published" } },
      ]);
    }
  });

  it("gives the reason for each listing that it does not approve", async () => {
    const noAddress = await database.place({ status: "new", state: null });
    const noEmail = await database.place({ status: "new", owner_email: null });
    const neither = await database.place({ status: "new", owner_email: " ", state: "" });
    const published = await database.place();
    const stale = await database.place({ status: "new" });
    await sql("update public.places set name = 'Changed since' where id = $1", [stale]);
    const fine = await database.place({ status: "new" });
    const ids = [noAddress, noEmail, neither, published, stale, 987_654, fine];
    const batch = await decide(
      "approve",
      ids.map((id) => ({ id, version: 1 })),
    );
    expect(ids.map((id) => readOutcomes(batch).get(id))).toEqual([
      ["refused", ["no_proper_address"]],
      ["refused", ["no_owner_email"]],
      ["refused", ["no_owner_email", "no_proper_address"]],
      ["stale", ["already_published"]],
      ["stale", ["listing_changed"]],
      ["missing", ["listing_missing"]],
      ["done", null],
    ]);
    // The listings that were not approved are first.
    expect(batch.rows.at(-1)).toMatchObject({ id: fine, outcome: "done" });
    for (const id of [noAddress, noEmail, neither, stale]) {
      expect(await database.row("places", id)).toMatchObject({ status: "new" });
      expect(await listActions(id)).not.toContain("approve");
    }
  });

  it("publishes no listing that its owner has asked to remove, and warns of one that is public anyway", async () => {
    const asked = { archive_requested: true };
    const ids = [
      await database.place({ ...asked, status: "new" }),
      await database.place({ ...asked, status: "flagged" }),
      await database.place({ ...asked, status: "new", state: "" }),
      await database.place({ ...asked, status: "pending-update" }),
    ];
    const batch = await decide(
      "approve",
      ids.map((id) => ({ id, version: 1 })),
    );
    expect(ids.map((id) => readOutcomes(batch).get(id))).toEqual([
      ["refused", ["archive_instead"]],
      ["refused", ["archive_instead"]],
      ["refused", ["archive_instead", "no_proper_address"]],
      ["done", null],
    ]);
    expect(batch.rows.find(({ id }) => id === ids[3])).toMatchObject({
      warnings: ["removal_requested"],
    });
    expect(await database.row("places", ids[0]!)).toMatchObject({ status: "new", version: 1 });
    expect(await database.row("places", ids[1]!)).toMatchObject({ status: "flagged", version: 1 });
    // Once they cancel their request, it can be approved.
    await sql("update public.places set archive_requested = false where id = $1", [ids[0]]);
    const { version } = await database.row("places", ids[0]!);
    expect((await decide("approve", [{ id: ids[0]!, version }])).rows).toMatchObject([
      { outcome: "done" },
    ]);
  });
});

describe("requesting changes", () => {
  const reason = "Please name your street.";

  it("informs the owner on the listing and by email, and keeps the status", async () => {
    const id = await database.place({ status: "new", owner: owner.id });
    await decide("request-changes", [{ id, version: 1 }], { reason: ` ${reason}\n` });
    expect(await database.row("places", id)).toMatchObject({
      status: "new",
      changes_requested: reason,
      version: 2,
    });
    expect(
      await sql("select place_id, kind, data from private.email_queue where place_id = $1", [id]),
    ).toEqual([
      { place_id: id, kind: "changes-requested", data: { place_id: id, name: "Café X", reason } },
    ]);
    expect(await listActions(id)).toContain("request-changes");
    // The same again is told so; other words are another request, and another notice.
    expect(
      readOutcomes(await decide("request-changes", [{ id, version: 2 }], { reason })).get(id),
    ).toEqual(["refused", ["changes_already_requested"]]);
    await decide("request-changes", [{ id, version: 2 }], { reason: "And your name." });
    expect(await sql("select key from private.email_queue where place_id = $1", [id])).toHaveLength(
      2,
    );
  });

  it("needs a reason, someone to inform, and a listing under review", async () => {
    const published = await database.place();
    const archived = await database.place({ status: "archived" });
    const unowned = await database.place({ status: "new", owner_email: null });
    const ids = [published, archived, unowned];
    const results = readOutcomes(
      await decide(
        "request-changes",
        ids.map((id) => ({ id, version: 1 })),
        { reason },
      ),
    );
    expect(ids.map((id) => results.get(id))).toEqual([
      ["refused", ["nothing_under_review:published"]],
      ["refused", ["nothing_under_review:archived"]],
      ["refused", ["no_owner_email"]],
    ]);
    for (const [words, message] of [
      [" ", "change_request_empty"],
      [undefined, "change_request_empty"],
      ["x".repeat(2001), "change_request_too_long"],
    ]) {
      const items = [{ id: published, version: 1 }];
      const answer = await admin.call("decide_listings", {
        batch: randomUUID(),
        action: "request-changes",
        items,
        reason: words,
      });
      expect(answer).toMatchObject({ code: "P0001", message });
    }
  });

  it("removes an email that was not sent when it is undone", async () => {
    const id = await database.place({ status: "new", owner: owner.id });
    const { batch } = await decide("request-changes", [{ id, version: 1 }], { reason });
    await undo(batch);
    expect(await sql("select 1 from private.email_queue where place_id = $1", [id])).toEqual([]);
    expect(await database.row("places", id)).toMatchObject({ changes_requested: null });
  });
});

describe("rejecting an edit", () => {
  it("isn't said by email of an edit that was sent again and approved meanwhile", async () => {
    const phone = { phone: "+1 505-555-0142" };
    const dueAfterDeciding = async (last: string) => {
      const id = await createEdited(phone);
      await decide("reject", [{ id, version: 2 }], {});
      await sql(
        "update private.email_queue set created_at = created_at - interval '3 minutes' where place_id = $1",
        [id],
      );
      await owner.update("places", `id=eq.${id}`, phone);
      if (last) await decide(last, [{ id, version: 4 }], {}, second);
      await sql("update private.email_queue set next_try_at = now() where place_id = $1", [id]);
      const due = await sql(
        "select n.kind from private.due_emails d join private.email_queue n using (id) where n.place_id = $1",
        [id],
      );
      return due.map(({ kind }) => kind);
    };
    expect(await dueAfterDeciding("")).toEqual(["edit-rejected"]);
    expect(await dueAfterDeciding("approve")).toEqual(["listing-approved"]);
  });

  it("keeps the edit until its author has used or discarded it, whatever is edited meanwhile", async () => {
    const manager = await database.person();
    const text = "A long text that someone wrote, with a phone number in it.";
    const create = async () => {
      const id = await createEdited(
        { description: text, url: "https://x.example" },
        { owner: owner.id },
      );
      await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
        id,
        manager.id,
      ]);
      await decide("reject", [{ id, version: 2 }], { reason: "No phone numbers, please." });
      return id;
    };
    const kept = async (id: number, by = owner) =>
      (await by.select("rejected_edits", `place_id=eq.${id}&select=edit,reason`)).rows;
    const whole = [
      {
        edit: { description: text, url: "https://x.example" },
        reason: "No phone numbers, please.",
      },
    ];
    const version = async (id: number) => Number((await database.row("places", id))["version"]);

    // A manager corrects something else; that is approved, or comes to nothing.
    const id = await create();
    await manager.update("managed_places", `id=eq.${id}`, { phone: "+1 505-555-0142" });
    expect(await kept(id)).toEqual(whole);
    await decide("approve", [{ id, version: await version(id) }]);
    await owner.update("places", `id=eq.${id}`, { phone: "+1 505-555-0143" });
    await owner.update("places", `id=eq.${id}`, { phone: "+1 505-555-0142" });
    await decide("flag", [{ id, version: await version(id) }]);
    expect(await kept(id)).toEqual(whole);
    expect(await kept(id, manager)).toEqual(whole);
    await sql("update public.places set status = 'published' where id = $1", [id]);

    // Someone enters other words in the same fields.
    await manager.update("managed_places", `id=eq.${id}`, { description: "A typo is corrected." });
    expect(await kept(id)).toEqual(whole);
    await owner.update("places", `id=eq.${id}`, { url: "https://y.example" });
    expect(await kept(id)).toEqual(whole);
    await decide("approve", [{ id, version: await version(id) }]);
    expect(await kept(id)).toEqual(whole);

    // A part of it is used, and then, beside an edit of that part, the rest.
    await owner.update("places", `id=eq.${id}`, { url: "https://x.example" });
    await decide("approve", [{ id, version: await version(id) }]);
    await owner.update("places", `id=eq.${id}`, { url: "https://z.example" });
    expect(await kept(id)).toEqual(whole);
    await owner.update("places", `id=eq.${id}`, { description: text });
    expect(await kept(id)).toEqual([]);

    // An admin enters it by hand.
    const other = await create();
    await admin.update("places", `id=eq.${other}`, { description: text });
    expect(await kept(other)).toEqual(whole);
    await admin.update("places", `id=eq.${other}`, { url: "https://x.example" });
    expect(await kept(other)).toEqual([]);

    // Its author, or who manages the listing with them, discards it; no one else does.
    const last = await create();
    for (const by of [admin, await database.person()])
      await by.remove("rejected_edits", `place_id=eq.${last}`);
    expect(await kept(last)).toEqual(whole);
    await manager.remove("rejected_edits", `place_id=eq.${last}`);
    expect(await kept(last)).toEqual([]);
  });

  it("is used when its address is typed again, wherever that is", async () => {
    const id = await createEdited(
      { rawaddress: "1 Elm St, Reno", address: "1 Elm St", city: "Reno", lat: 39.5, long: -119.8 },
      { owner: owner.id },
    );
    await decide("reject", [{ id, version: 2 }]);
    const kept = async () => (await owner.select("rejected_edits", `place_id=eq.${id}`)).rows;
    await owner.update("places", `id=eq.${id}`, { rawaddress: "2 Oak St" });
    expect(await kept()).toHaveLength(1);
    await owner.update("places", `id=eq.${id}`, { rawaddress: "1 Elm St, Reno", city: "Sparks" });
    expect(await kept()).toEqual([]);
  });

  it("joins an earlier one that is still kept, and leaves it when it is undone", async () => {
    const id = await createEdited({ description: "Long." }, { owner: owner.id });
    await decide("reject", [{ id, version: 2 }], { reason: "Too long." });
    await owner.update("places", `id=eq.${id}`, { phone: "+1 505-555-0142" });
    const { batch } = await decide("reject", [{ id, version: 4 }], { reason: "No one answers." });
    const kept = async () =>
      (await owner.select("rejected_edits", `place_id=eq.${id}&select=edit,reason`)).rows;
    expect(await kept()).toEqual([
      {
        edit: { description: "Long.", phone: "+1 505-555-0142" },
        reason: "No one answers.\n\nToo long.",
      },
    ]);
    await undo(batch);
    expect(await kept()).toEqual([{ edit: { description: "Long." }, reason: "Too long." }]);
  });

  it("that its author has discarded since doesn't wait again when the rejection is undone", async () => {
    const id = await createEdited({ description: "I live at 5 Elm St." }, { owner: owner.id });
    const { batch } = await decide("reject", [{ id, version: 2 }], { reason: "No addresses." });
    const rejected = await database.row("places", id);
    await owner.remove("rejected_edits", `place_id=eq.${id}`);
    expect(readOutcomes(await undo(batch)).get(id)).toEqual([
      "unchanged",
      ["changed_since_decision"],
    ]);
    expect(await database.row("places", id)).toEqual(rejected);
    expect(rejected).toMatchObject({ status: "published", last_update: {} });
  });

  it("stores the reason and the edit until it is entered again", async () => {
    const id = await createEdited({ phone: "+1 505-555-0199" }, { owner: owner.id });
    await decide("reject", [{ id, version: 2 }], { reason: " No one answers there. " });
    const readRejectedEdits = () =>
      owner.select("rejected_edits", `place_id=eq.${id}`).then(({ rows }) => rows);
    expect(await readRejectedEdits()).toMatchObject([
      { reason: "No one answers there.", edit: { phone: "+1 505-555-0199" } },
    ]);
    expect(
      await sql("select data ->> 'reason' as reason from private.email_queue where place_id = $1", [
        id,
      ]),
    ).toEqual([{ reason: "No one answers there." }]);
    await owner.update("places", `id=eq.${id}`, { phone: "+1 505-555-0199" });
    expect(await readRejectedEdits()).toEqual([]);
    // The next owner does not see what the owner before wrote.
    await decide("reject", [{ id, version: 4 }]);
    expect(await readRejectedEdits()).toHaveLength(1);
    await admin.update("places", `id=eq.${id}`, { owner: admin.id });
    expect((await admin.select("rejected_edits", `place_id=eq.${id}`)).rows).toEqual([]);
  });

  it("restores and publishes the approved values", async () => {
    const id = await createEdited(
      {
        name: "Zoë's Place",
        phone: "+1 505-555-0199",
        online_categories: [50, 51],
        lat: 1.5,
        long: 2.5,
        masks_required: true,
      },
      { online_categories: "{52}", phone: null },
    );
    const before = await database.row("places", id);
    expect(before).toMatchObject({ status: "pending-update", name: "Zoë's Place", version: 2 });
    const { batch } = await decide("reject", [{ id, version: 2 }]);
    expect(await database.row("places", id)).toMatchObject({
      ...{
        status: "published",
        name: "Café X",
        phone: null,
        online_categories: [52],
        lat: 35.08,
        long: -106.62,
      },
      ...{ masks_required: false, last_update: {}, version: 3 },
    });
    expect(
      await sql("select 1 from public.places where id = $1 and name_search @@ 'zoe'", [id]),
    ).toEqual([]);
    // The owner can still read the edit, and gets an email.
    const { rows: kept } = await owner.select("rejected_edits", `place_id=eq.${id}`);
    expect(kept).toMatchObject([
      {
        reason: null,
        edit: {
          name: "Zoë's Place",
          phone: "+1 505-555-0199",
          online_categories: [50, 51],
          masks_required: true,
        },
      },
    ]);
    expect(Object.keys(kept[0]!["edit"] as Row).sort()).toEqual(
      Object.keys(before["last_update"] as Row).sort(),
    );
    const notices = () =>
      sql("select kind, data from private.email_queue where place_id = $1", [id]);
    expect(await notices()).toEqual([
      { kind: "edit-rejected", data: { place_id: id, name: "Café X" } },
    ]);
    // After an undo the whole edit waits again.
    await undo(batch);
    expect(await notices()).toEqual([]);
    expect((await owner.select("rejected_edits", `place_id=eq.${id}`)).rows).toEqual([]);
    expect(await database.row("places", id)).toEqual({ ...before, version: 4 });
    expect(await listActions(id)).toEqual(["insert", "update", "reject", "undo"]);
  });

  it("is only for a listing with an edit that waits", async () => {
    const fresh = await database.place({ status: "new" });
    const without = await database.place({ status: "pending-update" });
    const results = readOutcomes(
      await decide(
        "reject",
        [fresh, without].map((id) => ({ id, version: 1 })),
      ),
    );
    for (const id of [fresh, without]) expect(results.get(id)).toEqual(["refused", ["no_edit"]]);
  });
});

describe("flagging, archiving, and reopening", () => {
  it("flags any listing, and warns when a subscription continues", async () => {
    const id = await database.place({ premium: true, stripe_subscription_id: "sub_1" });
    expect((await decide("flag", [{ id, version: 1 }])).rows).toMatchObject([
      { outcome: "done", warnings: ["subscription_continues"] },
    ]);
    expect(await database.row("places", id)).toMatchObject({ status: "flagged" });
    expect(readOutcomes(await decide("flag", [{ id, version: 2 }])).get(id)).toEqual([
      "stale",
      ["already_flagged"],
    ]);
    await decide("reopen", [{ id, version: 2 }]);
    expect(await database.row("places", id)).toMatchObject({ status: "new" });
    expect(readOutcomes(await decide("reopen", [{ id, version: 3 }])).get(id)?.[0]).toBe("refused");
  });

  it("fulfills an owner's request by archiving", async () => {
    const id = await database.place({ archive_requested: true });
    const { batch } = await decide("archive", [{ id, version: 1 }]);
    expect(await database.row("places", id)).toMatchObject({
      status: "archived",
      archive_requested: false,
    });
    await undo(batch);
    expect(await database.row("places", id)).toMatchObject({
      status: "published",
      archive_requested: true,
    });
  });

  it.each(["flag", "archive"])(
    "leaves a listing as it is on undoing (%s) when its owner has asked for its removal since",
    async (action) => {
      const columns = { owner: owner.id, owner_email: owner.email };
      const askForRemoval = (id: number) =>
        owner.update("places", `id=eq.${id}`, { archive_requested: true });
      const isPublic = async (id: number) =>
        (await sql("select from public.public_places where id = $1", [id])).length > 0;
      for (const edit of [{}, { phone: "+1 505-555-0199" }]) {
        const id = await database.place(columns);
        await owner.update("places", `id=eq.${id}`, edit);
        const { version } = await database.row("places", id);
        const { batch } = await decide(action, [{ id, version }]);
        expect((await askForRemoval(id)).status).toBe(204);
        const decided = await database.row("places", id);
        expect(readOutcomes(await undo(batch)).get(id)).toEqual([
          "unchanged",
          ["changed_since_decision"],
        ]);
        expect(await database.row("places", id)).toEqual(decided);
        expect(decided).toMatchObject({ archive_requested: true });
        expect(await isPublic(id)).toBe(false);
      }
      // One that was public with the request becomes so again, with it.
      const asked = await database.place(columns);
      await askForRemoval(asked);
      const { batch } = await decide(action, [{ id: asked, version: 1 }]);
      expect(readOutcomes(await undo(batch)).get(asked)?.[0]).toBe("undone");
      expect(await database.row("places", asked)).toMatchObject({
        status: "published",
        archive_requested: true,
      });
      expect(await isPublic(asked)).toBe(true);
      // And what wasn't public returns to where it was.
      const fresh = await database.place({ ...columns, status: "new" });
      const other = await decide(action, [{ id: fresh, version: 1 }]);
      await askForRemoval(fresh);
      await undo(other.batch);
      expect(await database.row("places", fresh)).toMatchObject({
        status: "new",
        archive_requested: true,
      });
    },
  );

  it("ends what the team had asked to change, by a decision and by hand, until the removal is undone", async () => {
    const listing = async () =>
      database.place({ owner: owner.id, status: "new", changes_requested: "Add your hours." });
    const asked = async (id: number) => (await database.row("places", id))["changes_requested"];
    const [decided, changed] = [await listing(), await listing()];
    const { batch } = await decide("archive", [{ id: decided, version: 1 }]);
    await admin.update("places", `id=eq.${changed}`, { status: "archived" });
    expect([await asked(decided), await asked(changed)]).toEqual([null, null]);
    await undo(batch);
    expect(await asked(decided)).toBe("Add your hours.");
  });

  it("is asked for by no admin in an owner's name, nor is a request taken back, with a request of their own", async () => {
    const ids = [
      await database.place({ owner: owner.id }),
      await database.place({ owner: owner.id, archive_requested: true }),
    ];
    for (const [at, asked] of [true, false].entries()) {
      const place = `id=eq.${ids[at]}`;
      expect(await admin.update("places", place, { archive_requested: asked })).toMatchObject({
        code: "P0001",
        message: "removal_by_owner_only",
      });
      expect(await database.row("places", ids[at]!)).toMatchObject({ archive_requested: !asked });
    }
    // Their own they may, and a decision fulfills a request, which its undo opens again.
    const own = await database.place({ owner: admin.id, owner_email: admin.email });
    await admin.update("places", `id=eq.${own}`, { archive_requested: true });
    expect(await database.row("places", own)).toMatchObject({ archive_requested: true });
    const { batch } = await decide("archive", [{ id: ids[1], version: 1 }]);
    expect(await database.row("places", ids[1]!)).toMatchObject({ archive_requested: false });
    await undo(batch);
    expect(await database.row("places", ids[1]!)).toMatchObject({ archive_requested: true });
  });

  it("archives no listing whose owner has canceled their request since it was selected", async () => {
    const id = await database.place({ owner: owner.id, archive_requested: true });
    const selected = { id, version: (await database.row("places", id))["version"] };
    const before = await database.row("places", id);
    await owner.update("places", `id=eq.${id}`, { archive_requested: false });
    expect(readOutcomes(await decide("archive", [selected])).get(id)).toEqual([
      "stale",
      ["listing_changed"],
    ]);
    expect(await database.row("places", id)).toMatchObject({
      status: "published",
      // Its place in a queue is not lost.
      modified_at: before["modified_at"],
    });
  });
});

describe("a list of items", () => {
  it("has a row for each item, also for invalid ones", async () => {
    const id = await database.place({ status: "new" });
    const odd = [
      null,
      1,
      "x",
      [],
      {},
      { id: "x", version: 1 },
      { id: -1 },
      { id: 2e70 },
      { id: 1.5 },
      { id, version: "99999999999" },
    ];
    const batch = await decide("approve", odd);
    expect(batch.rows.filter((row) => row.id === null)).toHaveLength(9);
    expect(batch.rows.find((row) => row.sent === "1.5")).toMatchObject({
      outcome: "missing",
      reasons: ["listing_missing"],
    });
    expect(readOutcomes(batch).get(id)?.[0]).toBe("stale");
  });

  it("contains a listing once, however often it is sent", async () => {
    const id = await database.place({ status: "new" });
    const batch = await decide("approve", [
      { id, version: 1 },
      { id, version: 1 },
      { id: String(id), version: "1" },
    ]);
    expect(batch.rows).toMatchObject([{ id, outcome: "done" }]);
    expect((await listActions(id)).filter((action) => action === "approve")).toHaveLength(1);
  });

  it("is limited, and counts what it left out", async () => {
    const batch = await decide(
      "approve",
      Array.from({ length: 100_000 }, (_, index) => ({ id: index + 1_000_000, version: 1 })),
    );
    expect(batch).toMatchObject({
      selected: 10_000,
      left_out: 90_000,
      left: 9_000,
      counts: { missing: 1_000 },
    });
    expect(batch.rows).toHaveLength(1_000);
  });

  it.each([
    [{ items: [] }, "no_listings_selected"],
    [{ items: {} }, "no_listings_selected"],
    [{ items: 1 }, "no_listings_selected"],
    [{}, "batch_expired"],
    [{ items: [{ id: 1, version: 1 }], action: "publish" }, "decision_unknown"],
    [{ items: [{ id: 1, version: 1 }], action: null }, "decision_unknown"],
  ])("refuses %j", async (args, message) => {
    const answer = await admin.call("decide_listings", {
      batch: randomUUID(),
      action: "approve",
      ...args,
    });
    expect(answer).toMatchObject({ code: "P0001", message });
  });
});

describe("a form that is sent twice", () => {
  it("decides once, and returns the same result", async () => {
    const id = await database.place({ status: "new" });
    const gone = await database.place({ status: "new", state: "" });
    const items = [
      { id, version: 1 },
      { id: gone, version: 1 },
    ];
    const batch = randomUUID();
    const first = await decide("approve", items, { batch });
    const again = await decide("approve", items, { batch });
    expect({ ...again, rows: readOutcomes(again) }).toEqual({
      ...first,
      rows: readOutcomes(first),
    });
    expect((await listActions(id)).filter((action) => action === "approve")).toHaveLength(1);
    // Also when the other listing was fixed meanwhile: that needs another form.
    await sql("update public.places set state = 'NM' where id = $1", [gone]);
    await decide("approve", items, { batch });
    expect(await database.row("places", gone)).toMatchObject({ status: "new" });
    // Another decision with the same batch is refused.
    expect(await admin.call("decide_listings", { batch, action: "flag", items })).toMatchObject({
      code: "P0001",
      message: "batch_already_decided",
    });
  });

  it("belongs to the admin who sent it", async () => {
    const id = await database.place({ status: "new" });
    const { batch } = await decide("approve", [{ id, version: 1 }]);
    expect((await second.call("review_batch", { batch })).value).toBeNull();
    expect(await second.call("undo_decisions", { batch })).toMatchObject({ code: "P0001" });
    expect(
      await second.call("decide_listings", {
        batch,
        action: "approve",
        items: [{ id, version: 2 }],
      }),
    ).toMatchObject({
      code: "P0001",
    });
    expect(await database.row("places", id)).toMatchObject({ status: "published" });
  });
});

describe("a decision batch", () => {
  it("previews what each decision does", async () => {
    const listings = [
      await database.place({ status: "new" }),
      await database.place({ status: "new", state: null }),
      await database.place(),
      await createEdited({ description: "A better café." }),
      await database.place({ status: "archived", owner_email: null }),
      await database.place({ status: "flagged", premium: true, stripe_subscription_id: "sub_2" }),
    ];
    const rows = () => Promise.all(listings.map((id) => database.row("places", id)));
    for (const action of ["approve", "request-changes", "reject", "flag", "archive", "reopen"]) {
      const seen = await rows();
      const batch = randomUUID();
      const items = [
        ...seen.map(({ id, version }) => ({ id, version })),
        { id: 987_654, version: 1 },
        { id: "x" },
      ];
      await admin.call("create_decision_batch", { batch, items });
      const trial = toBatch(await admin.call("review_batch", { batch, action, reason: "Fix it." }));
      expect(trial).toMatchObject({ action: null, left: 8, undo_until: null });
      expect(await rows()).toEqual(seen);
      const done = toBatch(
        await admin.call("decide_listings", { batch, action, reason: "Fix it." }),
      );
      expect([readOutcomes(done), done.counts, done.warnings]).toEqual([
        readOutcomes(trial),
        trial.counts,
        trial.warnings,
      ]);
      expect(done.counts["done"]).toBeGreaterThan(0);
      expect((await undo(batch)).counts).toMatchObject({
        undone: done.counts["done"],
        unchanged: 0,
      });
      expect(await rows()).toEqual(
        seen.map((row) => ({ ...row, version: expect.any(Number) as number })),
      );
    }
  });

  it("contains what a filter found when it was created", async () => {
    const state = "Frozen";
    const ids = [
      await database.place({ status: "new", state }),
      await database.place({ status: "new", state }),
    ];
    const batch = randomUUID();
    const filter = { view: "new", state };
    expect((await admin.call("create_decision_batch", { batch, filter })).value).toMatchObject({
      selected: 2,
      more: false,
      left_out: 0,
    });
    // Its id tells another admin nothing, and stores nothing of theirs in it.
    expect(
      (await second.call("create_decision_batch", { batch, filter: { view: "all" } })).value,
    ).toBeNull();
    await sql("update public.places set name = 'Changed since' where id = $1", [ids[1]]);
    const late = await database.place({ status: "new", state });
    expect((await admin.call("create_decision_batch", { batch, filter })).value).toMatchObject({
      selected: 2,
    });
    const done = toBatch(await admin.call("decide_listings", { batch, action: "approve" }));
    expect(readOutcomes(done)).toEqual(
      new Map([
        [ids[0], ["done", null]],
        [ids[1], ["stale", ["listing_changed"]]],
      ]),
    );
    expect(await database.row("places", late)).toMatchObject({ status: "new", version: 1 });
  });

  it("is limited to ten thousand, and decided on a thousand at a time", async () => {
    await sql("alter table public.places disable trigger user");
    await sql(
      `insert into public.places (name, category, status, state, owner_email)
       select 'Many ' || n, 4, 'new', 'Many', 'many@example.test' from generate_series(1, 10020) n`,
    );
    await sql("alter table public.places enable trigger user");
    const batch = randomUUID();
    const filter = { view: "new", state: "Many" };
    expect((await admin.call("create_decision_batch", { batch, filter })).value).toMatchObject({
      selected: 10_000,
      more: true,
    });
    const trial = toBatch(
      await admin.call("review_batch", { batch, action: "approve", skip: 9_990 }),
    );
    expect(trial).toMatchObject({ counts: { done: 10_000 }, left: 10_000 });
    expect(trial.rows).toHaveLength(10);
    const first = toBatch(await admin.call("decide_listings", { batch, action: "approve" }));
    expect(first).toMatchObject({ left: 9_000, counts: { done: 1_000 } });
    const next = toBatch(await admin.call("decide_listings", { batch, action: "approve" }));
    expect(next).toMatchObject({ left: 8_000, counts: { done: 2_000 } });
    expect(toBatch(await admin.call("review_batch", { batch }))).toMatchObject({
      left: 8_000,
      counts: { done: 10_000 },
    });
    const [published] = await sql(
      "select count(*)::int as n from public.places where state = 'Many' and status = 'published'",
    );
    expect(published).toEqual({ n: 2_000 });
    // It is undone in the same steps. The rest stays undecided.
    expect(await undo(batch)).toMatchObject({ left_to_undo: 1_000, counts: { undone: 1_000 } });
    expect(await undo(batch)).toMatchObject({ left_to_undo: 0, counts: { undone: 2_000 } });
    expect(
      toBatch(await admin.call("decide_listings", { batch, action: "approve" })),
    ).toMatchObject({ left: 8_000 });
  });

  it("expires, and is deleted when another is created", async () => {
    const id = await database.place({ status: "new" });
    const batch = randomUUID();
    await admin.call("create_decision_batch", { batch, items: [{ id, version: 1 }] });
    await sql(
      "update private.decision_batches set expires_at = now() - interval '1 second' where id = $1",
      [batch],
    );
    expect((await admin.call("review_batch", { batch, action: "approve" })).value).toBeNull();
    expect(await admin.call("decide_listings", { batch, action: "approve" })).toMatchObject({
      code: "P0001",
      message: "batch_expired",
    });
    await admin.call("create_decision_batch", { batch: randomUUID(), items: [{ id, version: 1 }] });
    expect(await sql("select 1 from private.decision_rows where batch_id = $1", [batch])).toEqual(
      [],
    );
    const [kept] = await sql(
      "select expires_at - now() > interval '59 minutes' as long from private.decision_batches order by expires_at limit 1",
    );
    expect(kept).toEqual({ long: true });
  });
});

describe("undo", () => {
  it("restores unchanged listings once, to their position in the queue", async () => {
    const pending = await createEdited({ phone: "+1 505-555-0142" });
    const fresh = await database.place({ status: "new" });
    const touched = await database.place({ status: "new", owner: owner.id });
    await sql("alter table public.places disable trigger user");
    await sql(
      "update public.places set modified_at = '2026-01-02T03:04:05.678901Z' where id = any ($1)",
      [[pending, fresh, touched]],
    );
    await sql("alter table public.places enable trigger user");
    const before = await database.row("places", pending);
    const { batch } = await decide("approve", [
      { id: pending, version: 2 },
      { id: fresh, version: 1 },
      { id: touched, version: 1 },
    ]);
    await owner.update("places", `id=eq.${touched}`, { description: "Newer words." });

    const undone = await undo(batch);
    expect(undone.counts).toMatchObject({ done: 0, undone: 2, unchanged: 1 });
    expect(readOutcomes(undone).get(touched)).toEqual(["unchanged", ["changed_since_decision"]]);
    expect(await database.row("places", pending)).toEqual({ ...before, version: 4 });
    expect(await database.row("places", fresh)).toMatchObject({ status: "new" });
    expect(await database.row("places", touched)).toMatchObject({
      status: "pending-update",
      description: "Newer words.",
      last_update: { description: "A café for everybody." },
    });
    expect((await listEntries(fresh)).at(-1)).toMatchObject({
      action: "undo",
      actor: admin.id,
      after: { status: "new" },
    });

    const again = await undo(batch);
    expect({ ...again, rows: readOutcomes(again) }).toEqual({
      ...undone,
      rows: readOutcomes(undone),
    });
    expect(await database.row("places", fresh)).toMatchObject({ version: 3 });
  });

  it("withdraws the emails of a batch of several steps, and no email is due before the undo window is over", async () => {
    const made = await sql(
      `insert into public.places (name, category, state, status, owner_email)
       select 'Step ' || n, 4, 'NM', 'new', 'step-' || n || '@example.test' from generate_series(1, 1200) n returning id`,
    );
    const dueIn = async () =>
      (
        await sql(
          `select count(*)::int as emails, round(extract(epoch from min(next_try_at) - now()) / 60)::int as first,
             round(extract(epoch from max(next_try_at) - now()) / 60)::int as last
           from private.email_queue where place_id = any ($1)`,
          [made.map(({ id }) => id)],
        )
      )[0];
    const { batch } = await decide(
      "approve",
      made.map(({ id }) => ({ id: Number(id), version: 1 })),
    );
    expect(await dueIn()).toEqual({ emails: 1_000, first: 11, last: 11 });
    // The second step comes later: all can be undone from then on, so no email is due before.
    await sql(
      "update private.email_queue set next_try_at = next_try_at - interval '5 minutes' where place_id = any ($1)",
      [made.map(({ id }) => id)],
    );
    await admin.call("decide_listings", { batch, action: "approve" });
    expect(await dueIn()).toEqual({ emails: 1_200, first: 11, last: 11 });
    // Between two steps of an undo, the rest waits.
    await undo(batch);
    expect(await dueIn()).toEqual({ emails: 200, first: 1_440, last: 1_440 });
    await undo(batch);
    expect(await dueIn()).toMatchObject({ emails: 0 });
  });

  it("leaves no earlier email that says what the undone decision did, as when another admin had reversed the first", async () => {
    const versionOf = async (id: number) => Number((await database.row("places", id))?.["version"]);
    const decideOn = async (id: number, action: string, by: Caller, more: Row = {}) =>
      decide(action, [{ id, version: await versionOf(id) }], more, by);
    /** The emails that are due once this time has passed. */
    const dueAfter = async (id: number, time: string) => {
      await sql(
        "update private.email_queue set next_try_at = next_try_at - $2::interval, created_at = created_at - $2::interval where place_id = $1",
        [id, time],
      );
      const due = await sql(
        "select n.kind from private.due_emails d join private.email_queue n using (id) where n.place_id = $1",
        [id],
      );
      return due.map(({ kind }) => kind);
    };
    const removed = await database.place({ owner: owner.id, archive_requested: true });
    await decideOn(removed, "archive", admin);
    await dueAfter(removed, "3 minutes");
    for (const action of ["reopen", "approve"]) await decideOn(removed, action, second);
    expect(await dueAfter(removed, "1 hour")).toEqual(["listing-approved"]);

    const approved = await database.place({ owner: owner.id, status: "new" });
    await decideOn(approved, "approve", admin);
    await dueAfter(approved, "3 minutes");
    await decideOn(approved, "flag", second);
    expect(await dueAfter(approved, "1 hour")).toEqual([]);

    const asked = await database.place({ owner: owner.id, status: "new" });
    await decideOn(asked, "request-changes", admin, { reason: "Shorter." });
    await owner.update("places", `id=eq.${asked}`, { description: "Other words." });

    for (const [id, action, kind, more] of [
      [removed, "archive", "listing-removed", {}],
      [approved, "approve", "listing-approved", {}],
      [asked, "request-changes", "changes-requested", { reason: "Shorter." }],
    ] as const) {
      await decideOn(id, action, second, more);
      expect(await dueAfter(id, "9 minutes"), action).not.toContain(kind);
      // Once, when it can't be undone anymore.
      expect((await dueAfter(id, "3 minutes")).filter((one) => one === kind)).toEqual([kind]);
    }
  });

  it("restores the rest when the account that could claim a listing was deleted meanwhile", async () => {
    const claimant = await database.person();
    const claimable = await database.place({ owner_email: claimant.email });
    const other = await database.place();
    const { batch } = await decide("flag", [
      { id: claimable, version: 1 },
      { id: other, version: 1 },
    ]);
    expect(await admin.call("admin_delete_user", { userid: claimant.id })).toMatchObject({
      value: true,
    });
    // What was stored of the listing went with the account.
    expect(readOutcomes(await undo(batch))).toEqual(
      new Map([
        [claimable, ["unchanged", ["changed_since_decision"]]],
        [other, ["undone", null]],
      ]),
    );
    expect(await database.row("places", other)).toMatchObject({ status: "published" });
    expect(await database.row("places", claimable)).toMatchObject({ status: "flagged" });
  });

  it("is possible for ten minutes", async () => {
    const id = await database.place({ status: "new" });
    const { batch, undo_until } = await decide("approve", [{ id, version: 1 }]);
    expect(Date.parse(undo_until!) - Date.now()).toBeGreaterThan(9 * 60_000);
    await sql(
      "update private.decision_batches set decided_at = decided_at - interval '10 minutes' where id = $1",
      [batch],
    );
    expect(toBatch(await admin.call("review_batch", { batch })).undo_until).toBeNull();
    expect(await admin.call("undo_decisions", { batch })).toMatchObject({
      code: "P0001",
      message: "undo_expired",
    });
    expect(await database.row("places", id)).toMatchObject({ status: "published" });
  });

  it("is refused when there is nothing to undo", async () => {
    const refused = await decide("approve", [{ id: 987_654, version: 1 }]);
    expect(await admin.call("undo_decisions", { batch: refused.batch })).toMatchObject({
      code: "P0001",
      message: "nothing_to_undo",
    });
    const message = "batch_expired";
    expect(await admin.call("undo_decisions", { batch: randomUUID() })).toMatchObject({
      code: "P0001",
      message,
    });
  });
});

it("is for admins only", async () => {
  const id = await database.place({ status: "new", owner: owner.id });
  const { batch } = await decide("approve", [{ id, version: 1 }]);
  const version = 2;
  for (const by of [owner, database.anonymous, database.service]) {
    for (const [name, args] of Object.entries({
      decide_listings: { batch: randomUUID(), action: "archive", items: [{ id, version }] },
      create_decision_batch: { batch: randomUUID(), items: [{ id, version }] },
      review_batch: { batch },
      undo_decisions: { batch },
    })) {
      expect(await by.call(name, args)).toMatchObject({ code: "42501" });
    }
  }
  expect(await database.row("places", id)).toMatchObject({ status: "published", version });
});

it("does not change the audit action of later changes on the connection", async () => {
  const id = await database.place({ status: "new" });
  const { batch } = await decide("approve", [{ id, version: 1 }]);
  await undo(batch);
  await admin.update("places", `id=eq.${id}`, { status: "flagged" });
  expect(await listActions(id)).toEqual(["insert", "approve", "undo", "update"]);
  const [row] = await sql(
    "select modified_at > now() - interval '1 minute' as fresh from public.places where id = $1",
    [id],
  );
  expect(row).toEqual({ fresh: true });
});

it("never shows the public what no admin has approved, in any order of actions", async () => {
  const decision = fc.constantFrom(
    "approve",
    "approve",
    "request-changes",
    "reject",
    "flag",
    "archive",
    "reopen",
  );
  const step = fc.oneof(
    fc.record({ save: fc.constantFrom("One", "Two", "Three") }),
    fc.record({ decide: decision, seen: fc.constantFrom("now", "now", "before") }),
    fc.record({ undo: fc.constant("the last") }),
  );
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 3, maxLength: 10 }),
    async (steps) => {
      const id = await database.place({
        status: "new",
        owner: owner.id,
        owner_email: owner.email,
        name: "One",
      });
      const approved = new Set<unknown>();
      const batches: string[] = [];
      let before = 1;
      for (const one of steps) {
        const row = await database.row("places", id);
        if ("save" in one) {
          await owner.update("places", `id=eq.${id}`, { name: one.save });
        } else if ("decide" in one) {
          const version = one.seen === "now" ? row["version"] : before;
          const { batch, counts } = await decide(one.decide, [{ id, version }], {
            reason: `Because of ${batches.length}.`,
          });
          if (counts["done"]) batches.push(batch);
          if (counts["done"] && one.decide === "approve") approved.add(row["name"]);
          if (counts["done"]) expect(version).toBe(row["version"]);
        } else {
          const batch = batches.pop();
          if (batch) await undo(batch);
        }
        before = row["version"] as number;
        const [shown] = await sql("select name from public.public_places where id = $1", [id]);
        if (shown) expect([...approved]).toContain(shown["name"]);
        const now = await database.row("places", id);
        // Each change of a listing has one entry, and nothing else has one.
        expect(await listEntries(id)).toHaveLength(now["version"] as number);
        // An edit that waits has the approved values stored. A published listing has none.
        if (now["status"] === "pending-update")
          expect(approved).toContain((now["last_update"] as Row)["name"]);
        if (now["status"] === "published")
          expect(now).toMatchObject({ last_update: {}, changes_requested: null });
      }
    },
  );
  await fc.assert(property, { numRuns: timesTried(6, 40) });
});

describe("undoing “Flag and resolve”", () => {
  it("opens the reports that it closed, but none that an admin has dealt with since", async () => {
    const other = await database.person({ admin: true });
    const [listing, reporter] = [await database.place(), await database.person()];
    const report = { event_name: "report_listing", place: listing, user_id: reporter.id };
    for (const reason of ["Closed", "Moved"])
      expect((await reporter.insert("events", { ...report, data: { reason } })).status).toBe(201);
    const reports = await sql("select id from public.events where place = $1 order by id", [
      listing,
    ]);
    const ids = reports.map(({ id }) => Number(id));
    const resolve = (args: Row) => ({ ids, to_state: "resolved", ...args });
    const { value } = await admin.call(
      "update_reports",
      resolve({ flag: true, listings: [{ id: listing, version: 1 }] }),
    );
    const states = async () =>
      (await sql("select state from public.events where place = $1 order by id", [listing])).map(
        ({ state }) => state,
      );
    expect(await states()).toEqual(["resolved", "resolved"]);
    // Sent again, it is the same decision; by someone else, theirs.
    const again = resolve({ flag: true, listings: [{ id: listing, version: 1 }] });
    const batchOf = async (by: typeof admin) =>
      ((await by.call("update_reports", again)).value as Row)["batch"];
    expect(await batchOf(admin)).toBe((value as Row)["batch"]);
    expect(await batchOf(other)).not.toBe((value as Row)["batch"]);
    await other.call("update_reports", { ids: [ids[1]], to_state: "open" });
    await other.call("update_reports", { ids: [ids[1]], to_state: "resolved", note: "Right" });
    await undo((value as Row)["batch"] as string);
    expect(await database.row("places", listing)).toMatchObject({ status: "published" });
    expect(await states()).toEqual(["open", "resolved"]);
  });
});
