import { describe, expect, it } from "vitest";
import { http, HttpResponse } from "msw";

import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld();
const admin = await world.admin({ fullName: "Ada Admin" });
const writer = await world.owner({ fullName: "Wren Writer" });

let count = 0;
const createFeedback = async (fields: Record<string, unknown> = {}) => {
  count += 1;
  return (
    await world.insert("feedback", {
      userid: writer.id,
      feedback: `Feedback ${count}.`,
      os: "iOS 4.2",
      ...fields,
    })
  )["id"] as number;
};
const createReport = async (place: number, fields: Record<string, unknown> = {}) =>
  (
    await world.insert("events", {
      event_name: "report_listing",
      place,
      user_id: writer.id,
      ...fields,
    })
  )["id"] as number;
const listEntries = (subject: string, id: number) =>
  world.sql(
    "select actor, action, before, after from public.audit_log where subject = $1 and subject_id = $2 order by id desc",
    [subject, String(id)],
  );
const isArchived = async (id: number) => (await world.row("feedback", id))!["archived"];
const readState = async (id: number) => (await world.row("events", id))!["state"];

const BAD_IDS = [
  ["none", []],
  ["no numbers", ["abc", "", "1e3", "0x1", "-1", "0"]],
  ["numbers too large", ["1180591620717411303424"]],
  ["SQL", ["1); drop table feedback; --"]],
  ["too many", Array.from({ length: 1_200 }, (_, i) => String(i + 100_000))],
] as const;

describe("feedback", () => {
  it("is listed with User, Feedback, Date, and App Version: what is open, the newest first", async () => {
    const [first, second, done] = [
      await createFeedback({ created_at: "2026-03-01T10:00:00Z" }),
      await createFeedback(),
      await createFeedback({ archived: true }),
    ];
    const page = await admin.page("/admin/feedback");
    expect(page).toHaveStatus(200);
    for (const header of ["User", "Feedback", "Date (UTC)", "App Version"])
      expect(page).toSay(header);
    expect(page.text).toMatch(
      /Wren Writer Feedback \d+\. [A-Z][a-z]{2} \d+, \d{4} iOS 4\.2 Archive\/Done/,
    );
    expect(page.body).toContain(`href="/admin/users/${writer.id}"`);
    expect(page).toSay("Mar 1, 2026");
    const order = [...page.body.matchAll(/name="feedback"[^>]*value="(\d+)"/g)].map(([, id]) =>
      Number(id),
    );
    expect(order.indexOf(second)).toBeLessThan(order.indexOf(first));
    expect(order).not.toContain(done);
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("shows only archived feedback when that is selected", async () => {
    const [open, done] = [await createFeedback(), await createFeedback({ archived: true })];
    expect((await admin.page("/admin/feedback")).body).toContain(
      'href="/admin/feedback?completed=yes"',
    );
    const page = await admin.page("/admin/feedback?completed=yes");
    expect(page).toSay("Reopen");
    expect(page.body).toContain(`value="${done}"`);
    expect(page.body).not.toContain(`value="${open}"`);
  });

  it("is archived and reopened by its own button, with an audit entry each", async () => {
    const [id, other] = [await createFeedback(), await createFeedback()];
    const response = await admin.post("/admin/feedback", {
      intent: "archive",
      only: id,
      feedback: [other],
    });
    expect(response).toRedirectTo("/admin/feedback");
    const page = await admin.page("/admin/feedback");
    expect(page.text).toMatch(/“.+” is archived\. Undo/);
    expect([await isArchived(id), await isArchived(other)]).toEqual([true, false]);
    await admin.post("/admin/feedback", { intent: "undo", only: id, undone: "archived" });
    expect(await isArchived(id)).toBe(false);
    await admin.post("/admin/feedback", { intent: "archive", only: id });
    expect(
      await admin.post("/admin/feedback?completed=yes", { intent: "reopen", only: id }),
    ).toRedirectTo("/admin/feedback?completed=yes");
    expect(await isArchived(id)).toBe(false);
    expect(await listEntries("feedback", id)).toMatchObject([
      { actor: admin.id, action: "reopen", before: { archived: true }, after: { archived: false } },
      { actor: admin.id, action: "archive" },
      { actor: admin.id, action: "reopen" },
      { actor: admin.id, action: "archive" },
    ]);
  });

  it.each([
    ["archive", "/admin/feedback", "archived"],
    ["reopen", "/admin/feedback?completed=yes", "open"],
  ])("keeps its undo when its button is pressed twice: %s", async (intent, path, state) => {
    const before = intent === "reopen";
    const id = await createFeedback({ archived: before });
    await admin.post(path, { intent, only: id });
    await admin.post(path, { intent, only: id });
    const page = await admin.page(path);
    expect(page.text).toMatch(new RegExp(`“.+” is already ${state}\\. Undo`));
    await admin.post(path, {
      intent: "undo",
      only: page.value("only")!,
      undone: page.value("undone")!,
    });
    expect(await isArchived(id)).toBe(before);
    expect(await listEntries("feedback", id)).toHaveLength(2);
  });

  it("of which there is none anymore has nothing to undo", async () => {
    await admin.post("/admin/feedback", { intent: "archive", only: 999_999 });
    const page = await admin.page("/admin/feedback");
    expect(page).toSay("1 not found.");
    expect(page.value("undone")).toBeUndefined();
  });

  it("is archived in bulk, in one call, and once when the form is sent twice", async () => {
    const ids = [await createFeedback(), await createFeedback(), await createFeedback()];
    const response = await admin.post("/admin/feedback", {
      intent: "archive",
      feedback: [...ids, ids[0]!, 999_999],
    });
    expect(response.calls.filter(({ name }) => name.includes("archive_feedback"))).toHaveLength(1);
    expect(await admin.page("/admin/feedback")).toSay("3 archived. 1 not found.");
    await admin.post("/admin/feedback", { intent: "archive", feedback: ids });
    expect(await admin.page("/admin/feedback")).toSay("3 already archived.");
    expect(await listEntries("feedback", ids[0]!)).toHaveLength(1);
  });

  it.each([
    ["archive", "/admin/feedback", "3 archived."],
    ["reopen", "/admin/feedback?completed=yes", "3 reopened."],
  ])("comes back when a bulk change of it is undone: %s", async (intent, path, answer) => {
    const archived = intent === "reopen";
    const ids = await Promise.all([1, 2, 3].map(() => createFeedback({ archived })));
    await admin.post(path, { intent, feedback: ids });
    const page = await admin.page(path);
    expect(page).toSay(`${answer} Undo`);
    expect(await isArchived(ids[2]!)).toBe(!archived);
    await admin.post(path, {
      intent: "undo",
      feedback: page.value("feedback")!,
      undone: page.value("undone")!,
    });
    for (const id of ids) expect(await isArchived(id)).toBe(archived);
    expect(await admin.page(path)).toSay(`3 ${archived ? "archived" : "reopened"}. Undo`);
  });

  it("that someone else had archived a part of has no undo, which would reopen that, too", async () => {
    const [theirs, ours] = [await createFeedback({ archived: true }), await createFeedback()];
    await admin.post("/admin/feedback", { intent: "archive", feedback: [theirs, ours] });
    const page = await admin.page("/admin/feedback");
    expect(page).toSay("1 archived. 1 already archived.");
    expect(page.value("undone")).toBeUndefined();
  });

  it("can be undone also from a page whose address a browser wouldn’t keep with the message", async () => {
    const id = await createFeedback();
    const path = `/admin/feedback?completed=no&after=${"x".repeat(4000)}` as const;
    await admin.post(path, { intent: "archive", only: id });
    const page = await admin.page("/admin/feedback");
    expect(page.text).toMatch(/ is archived\. Undo/);
    expect(page.body).toMatch(/<form method="post" action="\/admin\/feedback"/);
    await admin.post("/admin/feedback", {
      intent: "undo",
      only: page.value("only")!,
      undone: page.value("undone")!,
    });
    expect(await isArchived(id)).toBe(false);
  });

  it("of more rows than a page has is archived without an undo, which no browser would keep", async () => {
    const id = await createFeedback();
    const many = Array.from({ length: 900 }, (_, place) => 900_000 + place);
    await admin.post("/admin/feedback", { intent: "archive", feedback: [id, ...many] });
    const page = await admin.page("/admin/feedback");
    expect(page).toSay("1 archived. 900 not found.");
    expect(page.value("undone")).toBeUndefined();
  });

  it.each(BAD_IDS)("is not changed when the selection is: %s", async (_, ids) => {
    await createFeedback();
    const page = await admin.submit("/admin/feedback", { intent: "archive", feedback: ids });
    expect(page).toHaveStatus(400);
    expect(page.title).toMatch(/^Error: /);
    expect(page.text).toMatch(/Select some feedback first\.|Select up to 1,000 at a time\./);
  });

  it("has no name when the account was deleted, and shows markup as text", async () => {
    await createFeedback({
      userid: null,
      feedback: "<script>alert(1)</script> " + "long ".repeat(200),
    });
    const page = await admin.page("/admin/feedback");
    expect(page).toSay("No account");
    expect(page).toSay("<script>alert(1)</script>");
    expect(page.body).not.toContain("<script>alert(1)");
  });

  it("keeps the selection when it can't be archived", async () => {
    const id = await createFeedback();
    outside.use(
      http.post(`${world.supabase.url}/rest/v1/rpc/archive_feedback`, () => HttpResponse.error()),
    );
    const page = await admin.submit("/admin/feedback", { intent: "archive", feedback: [id] });
    expect(page).toHaveStatus(503);
    expect(page.body).toContain(`name="feedback" value="${id}"`);
    expect(await isArchived(id)).toBe(false);
  });

  it("is for admins only", async () => {
    const id = await createFeedback();
    expect(await writer.post("/admin/feedback", { intent: "archive", only: id })).toBeForbidden();
    expect(await writer.get("/admin/feedback")).toBeForbidden();
    expect(await isArchived(id)).toBe(false);
  });
});

describe("reports", () => {
  it("are listed with Business, Reason, Info, and Date, without the reporter: what is open, the newest first", async () => {
    const listing = await world.listing({ name: "Café X", hidden: true });
    const first = await createReport(listing.id, {
      data: JSON.stringify({ reason: "Closed", info: "Since <b>May</b>" }),
      created_at: "2026-03-01T10:00:00Z",
    });
    const second = await createReport(listing.id, {
      data: JSON.stringify({ reason: 7, info: { odd: true } }),
    });
    const resolved = await createReport(listing.id, { state: "resolved" });
    const page = await admin.page("/admin/reports");
    for (const words of [
      "Business",
      "Reason",
      "Info",
      "Date (UTC)",
      "Café X Published, hidden Closed Since <b>May</b> Mar 1, 2026",
    ])
      expect(page).toSay(words);
    expect(page.body).toContain(`href="/listings/${listing.id}?back=`);
    expect(page.body).not.toContain(writer.id);
    expect(page).not.toSay("Wren Writer");
    const order = [...page.body.matchAll(/name="report"[^>]*value="(\d+)"/g)].map(([, id]) =>
      Number(id),
    );
    expect(order).toEqual([second, first]);
    expect((await admin.page("/admin/reports?state=resolved")).body).toContain(
      `value="${resolved}"`,
    );
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it.each([
    ["resolve", "resolved", "1 resolved."],
    ["dismiss", "dismissed", "1 dismissed."],
  ])("are closed with a note: %s", async (intent, state, words) => {
    const listing = await world.listing();
    const id = await createReport(listing.id);
    expect(
      await admin.post("/admin/reports", { intent, report: [id], note: " Called them. " }),
    ).toRedirectTo("/admin/reports");
    expect(await admin.page("/admin/reports")).toSay(words);
    expect(await world.row("events", id)).toMatchObject({ state, note: "Called them." });
    expect(await listEntries("events", id)).toMatchObject([
      { actor: admin.id, action: intent, after: { state, note: "[withheld]" } },
    ]);
    expect(await admin.page(`/admin/reports?state=${state}`)).toSay("Called them.");

    await admin.post(`/admin/reports?state=${state}`, { intent: "reopen", report: [id] });
    expect(await world.row("events", id)).toMatchObject({ state: "open", note: "Called them." });
    expect(await world.row("places", listing.id)).toMatchObject({ status: "published" });
  });

  it("flag their listings, each once, and are resolved with it", async () => {
    const [one, other] = [
      await world.listing({ name: "Flag Me" }),
      await world.listing({ name: "Flagged Before", status: "flagged" }),
    ];
    const ids = [
      await createReport(one.id),
      await createReport(one.id),
      await createReport(other.id),
    ];
    await admin.post("/admin/reports", { intent: "flag", report: ids, note: "Not theirs." });
    const page = await admin.page("/admin/reports");
    expect(page).toSay(
      "3 resolved. 1 listing flagged. Flagged Before: This listing is already flagged.",
    );
    expect(await world.row("places", one.id)).toMatchObject({ status: "flagged" });
    const [entry] = await listEntries("places", one.id);
    expect(entry).toMatchObject({ actor: admin.id, action: "flag", after: { status: "flagged" } });
    for (const id of ids) expect(await readState(id)).toBe("resolved");
  });

  it("say what goes on for a listing that is flagged: its plan, and its newsletters", async () => {
    const owner = await world.owner();
    const { id } = await world.listing({
      name: "Paid For",
      owner: owner.id,
      premium: true,
      stripe_subscription_id: "sub_reported",
      subscription_status: "active",
    });
    await admin.post("/admin/reports", { intent: "flag", report: [await createReport(id)] });
    expect(await admin.page("/admin/reports")).toSay(
      "1 resolved. 1 listing flagged. Paid For: The Featured plan continues.",
    );
  });

  it("are open again when flagging their listing is undone, except of one that has changed since", async () => {
    const [one, other] = [
      await world.listing({ name: "Flagged in Error" }),
      await world.listing({ name: "Fixed Since" }),
    ];
    const ids = [await createReport(one.id), await createReport(other.id)];
    const undo = async () => {
      const page = await admin.page("/admin/reports");
      expect(page).toSay("2 resolved. 2 listings flagged. Undo");
      return page.value("batch")!;
    };
    await admin.post("/admin/reports", { intent: "flag", report: ids });
    const first = await undo();
    expect(await admin.post("/admin/reports", { intent: "undo", batch: first })).toRedirectTo(
      "/admin/reports",
    );
    expect(await admin.page("/admin/reports")).toSay(
      "Undone. 2 listings are as before. The reports are open again.",
    );
    for (const { id } of [one, other])
      expect(await world.row("places", id)).toMatchObject({ status: "published" });
    for (const id of ids) expect(await readState(id)).toBe("open");
    expect((await listEntries("events", ids[0]!)).at(-1)).toMatchObject({ actor: admin.id });
    // Sent again, such as after Back, it opens none that were resolved since.
    await admin.post("/admin/reports", { intent: "resolve", report: ids });
    await admin.post("/admin/reports", { intent: "undo", batch: first });
    for (const id of ids) expect(await readState(id)).toBe("resolved");
    await admin.post("/admin/reports", { intent: "reopen", report: ids });

    await admin.post("/admin/reports", { intent: "flag", report: ids });
    const second = await undo();
    await world.sql("update public.places set name = 'Fixed Now' where id = $1", [other.id]);
    await admin.post("/admin/reports", { intent: "undo", batch: second });
    expect(await admin.page("/admin/reports")).toSay(
      "Undone. “Flagged in Error” is as it was before. 1 report is open again. 1 report stays closed. 1 listing has changed since, so it was left unchanged.",
    );
    expect(await world.row("places", other.id)).toMatchObject({ status: "flagged" });
    expect(await readState(ids[0]!)).toBe("open");
    expect(await readState(ids[1]!)).toBe("resolved");
  });

  it("flag a listing only as it was shown: the reports of one that has changed since stay open, with the note", async () => {
    const [fixed, same] = [
      await world.listing({ name: "Fixed Meanwhile" }),
      await world.listing({ name: "Still the Same" }),
    ];
    const ids = [await createReport(fixed.id), await createReport(same.id)];
    const shown = await admin.page("/admin/reports");
    const seen = shown.value("seen");
    await world.sql("update public.places set description = 'We are open.' where id = $1", [
      fixed.id,
    ]);
    await admin.post("/admin/reports", {
      intent: "flag",
      report: ids,
      note: "Not theirs.",
      seen,
    });
    const page = await admin.page("/admin/reports");
    expect(page).toSay(
      "1 resolved. 1 left open. 1 listing flagged. Fixed Meanwhile: This listing has changed since you opened it.",
    );
    expect(await world.row("places", fixed.id)).toMatchObject({ status: "published" });
    expect(await world.row("places", same.id)).toMatchObject({ status: "flagged" });
    expect(await world.row("events", ids[0]!)).toMatchObject({
      state: "open",
      note: "Not theirs.",
    });
    expect(await readState(ids[1]!)).toBe("resolved");
    // What the page shows now can be flagged.
    await admin.post("/admin/reports", {
      intent: "flag",
      report: [ids[0]!],
      seen: page.value("seen"),
    });
    expect(await world.row("places", fixed.id)).toMatchObject({ status: "flagged" });
  });

  it("that are flagged twice by the same form give the first answer again, with its undo", async () => {
    const [fixed, one] = [
      await world.listing({ name: "Fixed Meanwhile" }),
      await world.listing({ name: "Pressed Twice" }),
    ];
    const ids = [await createReport(fixed.id), await createReport(one.id)];
    const seen = (await admin.page("/admin/reports")).value("seen");
    await world.sql("update public.places set description = 'We are open.' where id = $1", [
      fixed.id,
    ]);
    const form = { intent: "flag", report: ids, note: "Not theirs.\r\nCalled them.", seen };
    const said =
      "1 resolved. 1 left open. 1 listing flagged. Fixed Meanwhile: This listing has changed since you opened it. Undo";
    // Twice at once, and after Back.
    await Promise.all([admin.post("/admin/reports", form), admin.post("/admin/reports", form)]);
    expect(await admin.page("/admin/reports")).toSay(said);
    await admin.post("/admin/reports", form);
    const page = await admin.page("/admin/reports");
    expect(page).toSay(said);
    expect(
      (await listEntries("places", one.id)).filter(({ action }) => action === "flag"),
    ).toHaveLength(1);
    await admin.post("/admin/reports", { intent: "undo", batch: page.value("batch")! });
    expect(await world.row("places", one.id)).toMatchObject({ status: "published" });
    expect(await readState(ids[1]!)).toBe("open");
    // What was undone isn't answered as done.
    await admin.post("/admin/reports", form);
    expect(await admin.page("/admin/reports")).toSay("0 resolved. 2 left open.");
  });

  it.each([
    ["with another note, which isn’t saved", { note: "They moved." }, null],
    ["by another admin", {}, "another admin"],
    ["once another admin has dealt with them", {}, "dealt with"],
    ["once it is too late to undo it", {}, "too late"],
  ])("that are flagged twice, %s, have no undo the second time", async (_, other, then) => {
    const id = await createReport((await world.listing({ name: "Pressed Twice" })).id);
    const seen = (await admin.page("/admin/reports")).value("seen");
    const form = { intent: "flag", report: [id], note: "Not theirs.", seen };
    await admin.post("/admin/reports", form);
    await admin.page("/admin/reports");
    const second = await world.admin({ fullName: "Bo Admin" });
    if (then === "dealt with")
      for (const intent of ["reopen", "resolve"])
        await second.post("/admin/reports", { intent, report: [id] });
    if (then === "too late")
      await world.sql(
        "update private.decision_batches set decided_at = decided_at - interval '11 minutes'",
      );
    const by = then === "another admin" ? second : admin;
    if (by === second) await second.page("/admin/reports");
    await by.post("/admin/reports", { ...form, ...other });
    const page = await by.page("/admin/reports");
    expect(page).toSay("1 already closed. No listing was flagged just now.");
    expect(page.value("batch")).toBeUndefined();
  });

  it("that another admin has dealt with since stay as they left them when flagging is undone", async () => {
    const listing = await world.listing({ name: "Disputed Café" });
    const ids = [await createReport(listing.id), await createReport(listing.id)];
    const other = await world.admin({ fullName: "Bo Admin" });
    await admin.post("/admin/reports", { intent: "flag", report: ids });
    const batch = (await admin.page("/admin/reports")).value("batch")!;
    await other.post("/admin/reports", { intent: "reopen", report: [ids[0]!] });
    await other.post("/admin/reports", {
      intent: "resolve",
      report: [ids[0]!],
      note: "Solved by phone.",
    });
    await admin.post("/admin/reports", { intent: "undo", batch });
    expect(await admin.page("/admin/reports")).toSay(
      "Undone. “Disputed Café” is as it was before. 1 report is open again. 1 report stays closed.",
    );
    expect(await world.row("events", ids[0]!)).toMatchObject({
      state: "resolved",
      note: "Solved by phone.",
    });
    expect(await readState(ids[1]!)).toBe("open");
  });

  it("about many listings that were flagged before lead to a message that a browser keeps", async () => {
    const ids: number[] = [];
    for (let n = 0; n < 50; n += 1) {
      const { id } = await world.listing({
        name: `The Café of ${"Long ".repeat(20)}${n}`,
        status: "flagged",
      });
      ids.push(await createReport(id));
    }
    const answer = await admin.post("/admin/reports", { intent: "flag", report: ids });
    expect(Math.max(...answer.setCookies.map(({ length }) => length))).toBeLessThan(4096);
    expect(await admin.page("/admin/reports")).toSay(
      "50 resolved. 50 listings: This listing is already flagged.",
    );
  });

  it("that another admin has dismissed meanwhile stay so, with their note, and flag no listing", async () => {
    const listing = await world.listing({ name: "Reported Out of Spite" });
    const id = await createReport(listing.id);
    const other = await world.admin({ fullName: "Bo Admin" });
    await other.post("/admin/reports", {
      intent: "dismiss",
      report: [id],
      note: "We called them.",
    });

    await admin.post("/admin/reports", { intent: "flag", report: [id], note: "Not theirs." });
    expect(await admin.page("/admin/reports")).toSay(
      "1 already closed. No listing was flagged just now.",
    );
    expect(await world.row("events", id)).toMatchObject({
      state: "dismissed",
      note: "We called them.",
    });
    expect(await world.row("places", listing.id)).toMatchObject({ status: "published" });
  });

  it("about a listing that was removed are resolved, and it stays removed", async () => {
    const listing = await world.listing({ name: "Café Gone", status: "archived" });
    const id = await createReport(listing.id);
    await admin.post("/admin/reports", { intent: "flag", report: [id] });
    expect(await admin.page("/admin/reports")).toSay(
      "1 resolved. Café Gone: This listing was already removed from the directory.",
    );
    expect(await readState(id)).toBe("resolved");
    expect(await world.row("places", listing.id)).toMatchObject({ status: "archived" });
  });

  it.each(BAD_IDS)(
    "are not changed, and the note is kept, when the selection is: %s",
    async (_, ids) => {
      await createReport((await world.listing()).id);
      const page = await admin.submit("/admin/reports", {
        intent: "flag",
        report: ids,
        note: "Typed with care",
      });
      expect(page).toHaveStatus(400);
      expect(page.text).toMatch(/Select some reports first\.|Select up to 1,000 at a time\./);
      expect(page).toSay("Typed with care");
    },
  );

  it("reject a note that is too long, and keep it and the selection in the form", async () => {
    const id = await createReport((await world.listing()).id);
    const page = await admin.submit("/admin/reports", {
      intent: "resolve",
      report: [id],
      note: "x".repeat(2_001),
    });
    expect(page).toHaveStatus(400);
    expect(page).toSay("Use at most 2,000 characters.");
    expect(page.body).toMatch(
      new RegExp(
        `<input[^>]*name="report"[^>]*checked=""[^>]*value="${id}"|<input[^>]*name="report" value="${id}"[^>]*checked`,
      ),
    );
    expect(await readState(id)).toBe("open");
  });

  it("are for admins only", async () => {
    const listing = await world.listing();
    const id = await createReport(listing.id);
    for (const intent of ["resolve", "dismiss", "reopen", "flag"])
      expect(await writer.post("/admin/reports", { intent, report: [id] })).toBeForbidden();
    expect(await writer.get("/admin/reports")).toBeForbidden();
    expect(await readState(id)).toBe("open");
    expect(await world.row("places", listing.id)).toMatchObject({ status: "published" });
  });
});
