import { describe, expect, it } from "vitest";
import { http, HttpResponse } from "msw";

import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld();
const admin = await world.admin({ fullName: "Ada Admin" });
const writer = await world.owner({ fullName: "Wren Writer" });

let told = 0;
const feedback = async (fields: Record<string, unknown> = {}) => {
  told += 1;
  return (
    await world.insert("feedback", {
      userid: writer.id,
      feedback: `Feedback ${told}.`,
      os: "iOS 4.2",
      ...fields,
    })
  )["id"] as number;
};
const report = async (place: number, fields: Record<string, unknown> = {}) =>
  (
    await world.insert("events", {
      event_name: "report_listing",
      place,
      user_id: writer.id,
      ...fields,
    })
  )["id"] as number;
const entriesAbout = (subject: string, id: number) =>
  world.sql(
    "select actor, action, before, after from public.audit_log where subject = $1 and subject_id = $2 order by id desc",
    [subject, String(id)],
  );
const isArchived = async (id: number) => (await world.row("feedback", id))!["archived"];
const stateOf = async (id: number) => (await world.row("events", id))!["state"];

const BAD_IDS = [
  ["none", []],
  ["no numbers", ["abc", "", "1e3", "0x1", "-1", "0"]],
  ["numbers too large", ["1180591620717411303424"]],
  ["SQL", ["1); drop table feedback; --"]],
  ["more than may be", Array.from({ length: 1_200 }, (_, i) => String(i + 100_000))],
] as const;

describe("feedback", () => {
  it("stands in a table: User, Feedback, Date, App Version; what waits, the newest first", async () => {
    const [first, second, done] = [
      await feedback({ created_at: "2026-03-01T10:00:00Z" }),
      await feedback(),
      await feedback({ archived: true }),
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

  it("shows only what is completed when that is switched on", async () => {
    const [open, done] = [await feedback(), await feedback({ archived: true })];
    expect((await admin.page("/admin/feedback")).body).toContain(
      'href="/admin/feedback?completed=yes"',
    );
    const page = await admin.page("/admin/feedback?completed=yes");
    expect(page).toSay("Reopen");
    expect(page.body).toContain(`value="${done}"`);
    expect(page.body).not.toContain(`value="${open}"`);
  });

  it("is put away by its own button, and back, and each is recorded", async () => {
    const [id, other] = [await feedback(), await feedback()];
    const response = await admin.post("/admin/feedback", {
      intent: "archive",
      only: id,
      feedback: [other],
    });
    expect(response).toRedirectTo("/admin/feedback");
    expect(await admin.page("/admin/feedback")).toSay("1 archived.");
    expect([await isArchived(id), await isArchived(other)]).toEqual([true, false]);
    expect(
      await admin.post("/admin/feedback?completed=yes", { intent: "reopen", only: id }),
    ).toRedirectTo("/admin/feedback?completed=yes");
    expect(await isArchived(id)).toBe(false);
    expect(await entriesAbout("feedback", id)).toMatchObject([
      { actor: admin.id, action: "reopen", before: { archived: true }, after: { archived: false } },
      { actor: admin.id, action: "archive" },
    ]);
  });

  it("is put away in bulk, in one call; twice is once", async () => {
    const ids = [await feedback(), await feedback(), await feedback()];
    const response = await admin.post("/admin/feedback", {
      intent: "archive",
      feedback: [...ids, ids[0]!, 999_999],
    });
    expect(response.calls.filter(({ name }) => name.includes("archive_feedback"))).toHaveLength(1);
    expect(await admin.page("/admin/feedback")).toSay("3 archived. 1 could not be found.");
    await admin.post("/admin/feedback", { intent: "archive", feedback: ids });
    expect(await admin.page("/admin/feedback")).toSay("3 had been archived already.");
    expect(await entriesAbout("feedback", ids[0]!)).toHaveLength(1);
  });

  it.each(BAD_IDS)("is left alone when %s are chosen", async (_, ids) => {
    await feedback();
    const page = await admin.submit("/admin/feedback", { intent: "archive", feedback: ids });
    expect(page).toHaveStatus(400);
    expect(page.title).toMatch(/^Error: /);
    expect(page.text).toMatch(/Choose the feedback first\.|Choose 1,000 at most at a time\./);
  });

  it("of somebody whose account is gone has no name, and markup in it is text", async () => {
    await feedback({ userid: null, feedback: "<script>alert(1)</script> " + "long ".repeat(200) });
    const page = await admin.page("/admin/feedback");
    expect(page).toSay("No account");
    expect(page).toSay("<script>alert(1)</script>");
    expect(page.body).not.toContain("<script>alert(1)");
  });

  it("that cannot be put away says so, and keeps what was chosen", async () => {
    const id = await feedback();
    outside.use(
      http.post(`${world.supabase.url}/rest/v1/rpc/archive_feedback`, () => HttpResponse.error()),
    );
    const page = await admin.submit("/admin/feedback", { intent: "archive", feedback: [id] });
    expect(page).toHaveStatus(503);
    expect(page.body).toContain(`name="feedback" value="${id}"`);
    expect(await isArchived(id)).toBe(false);
  });

  it("is an admin's to put away, by form and by data API", async () => {
    const id = await feedback();
    expect(await writer.post("/admin/feedback", { intent: "archive", only: id })).toBeForbidden();
    expect(await writer.get("/admin/feedback")).toBeForbidden();
    expect(await isArchived(id)).toBe(false);
  });
});

describe("reports", () => {
  it("stand in a table: Business, Reason, Info, Date; what is open, the newest first; and not who it was", async () => {
    const listing = await world.listing({ name: "Café X" });
    const first = await report(listing.id, {
      data: JSON.stringify({ reason: "Closed", info: "Since <b>May</b>" }),
      created_at: "2026-03-01T10:00:00Z",
    });
    const second = await report(listing.id, {
      data: JSON.stringify({ reason: 7, info: { odd: true } }),
    });
    const settled = await report(listing.id, { state: "resolved" });
    const page = await admin.page("/admin/reports");
    for (const words of [
      "Business",
      "Reason",
      "Info",
      "Date (UTC)",
      "Café X Published Closed Since <b>May</b> Mar 1, 2026",
    ])
      expect(page).toSay(words);
    expect(page.body).toContain(`href="/listings/${listing.id}"`);
    expect(page.body).not.toContain(writer.id);
    expect(page).not.toSay("Wren Writer");
    const order = [...page.body.matchAll(/name="report"[^>]*value="(\d+)"/g)].map(([, id]) =>
      Number(id),
    );
    expect(order).toEqual([second, first]);
    expect((await admin.page("/admin/reports?state=resolved")).body).toContain(
      `value="${settled}"`,
    );
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it.each([
    ["resolve", "resolved", "1 resolved."],
    ["dismiss", "dismissed", "1 dismissed."],
  ])("are settled with a note: %s", async (intent, state, words) => {
    const listing = await world.listing();
    const id = await report(listing.id);
    expect(
      await admin.post("/admin/reports", { intent, report: [id], note: " Called them. " }),
    ).toRedirectTo("/admin/reports");
    expect(await admin.page("/admin/reports")).toSay(words);
    expect(await world.row("events", id)).toMatchObject({ state, note: "Called them." });
    expect(await entriesAbout("events", id)).toMatchObject([
      { actor: admin.id, action: intent, after: { state, note: "Called them." } },
    ]);
    expect(await admin.page(`/admin/reports?state=${state}`)).toSay("Called them.");

    await admin.post(`/admin/reports?state=${state}`, { intent: "reopen", report: [id] });
    expect(await world.row("events", id)).toMatchObject({ state: "open", note: "Called them." });
    expect(await world.row("places", listing.id)).toMatchObject({ status: "published" });
  });

  it("flag their listings, each once, as the review desk does; the reports are resolved with it", async () => {
    const [one, other] = [
      await world.listing({ name: "Flag Me" }),
      await world.listing({ name: "Flagged Before", status: "flagged" }),
    ];
    const ids = [await report(one.id), await report(one.id), await report(other.id)];
    await admin.post("/admin/reports", { intent: "flag", report: ids, note: "Not theirs." });
    const page = await admin.page("/admin/reports");
    expect(page).toSay(
      "3 resolved. 1 listing flagged. Flagged Before: This listing is already flagged.",
    );
    expect(await world.row("places", one.id)).toMatchObject({ status: "flagged" });
    const [entry] = await entriesAbout("places", one.id);
    expect(entry).toMatchObject({ actor: admin.id, action: "flag", after: { status: "flagged" } });
    for (const id of ids) expect(await stateOf(id)).toBe("resolved");
  });

  it.each(BAD_IDS)("are left alone when %s are chosen, and the note is kept", async (_, ids) => {
    await report((await world.listing()).id);
    const page = await admin.submit("/admin/reports", {
      intent: "flag",
      report: ids,
      note: "Typed with care",
    });
    expect(page).toHaveStatus(400);
    expect(page.text).toMatch(/Choose the reports first\.|Choose 1,000 at most at a time\./);
    expect(page).toSay("Typed with care");
  });

  it("take no note that is too long, and keep it and what was chosen in the form", async () => {
    const id = await report((await world.listing()).id);
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
    expect(await stateOf(id)).toBe("open");
  });

  it("are an admin's to settle, by form and by data API", async () => {
    const listing = await world.listing();
    const id = await report(listing.id);
    for (const intent of ["resolve", "dismiss", "reopen", "flag"])
      expect(await writer.post("/admin/reports", { intent, report: [id] })).toBeForbidden();
    expect(await writer.get("/admin/reports")).toBeForbidden();
    expect(await stateOf(id)).toBe("open");
    expect(await world.row("places", listing.id)).toMatchObject({ status: "published" });
  });
});
