import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld();
const admin = await world.admin({ fullName: "Ada Admin", email: "ada@team.example" });
const sam = await world.owner({
  fullName: '=HYPERLINK("https://evil.example")',
  email: "sam@private.example",
  phone: "+1 505-555-0147",
});
const listing = await world.listing({ owner: sam, name: "+Café, “X”" });
await world.insert("feedback", {
  userid: sam.id,
  feedback: "@SUM(A1)\nTwo lines",
  os: "iOS 4",
});
await world.insert("feedback", { userid: null, feedback: "Done with", archived: true });
await world.insert("events", {
  event_name: "report_listing",
  place: listing.id,
  user_id: sam.id,
  data: JSON.stringify({ reason: "-1", info: "Moved" }),
});
await world.insert("jobs", {
  title: "Baker",
  category: 85,
  description: "Bake.",
  location: "{NM}",
  place_id: listing.id,
  owner: sam.id,
  owner_email: "sam@private.example",
});

const readLines = ({ body }: Answer) =>
  body
    .replace(/^\uFEFF/, "")
    .trimEnd()
    .split("\r\n");
const readExportEntries = () =>
  world.sql(
    "select actor, action, subject_id, after from public.audit_log where subject = 'exports' order by id desc",
  );
const EXPORTS = ["users", "jobs", "feedback", "reports", "audit", "listings"] as const;

describe.each(EXPORTS)("/admin/%s.csv", (what) => {
  it("is a CSV file, for admins only", async () => {
    const answer = await admin.get(`/admin/${what}.csv`);
    expect(answer).toHaveStatus(200);
    expect(answer.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("Content-Disposition")).toMatch(
      /^attachment; filename="[\w-]+-\d{4}-\d\d-\d\d\.csv"$/,
    );
    expect(answer.headers.get("Cache-Control")).toContain("no-store");
    expect(await sam.get(`/admin/${what}.csv`)).toBeForbidden();
  });

  it("is linked from its list, with the filter of the list", async () => {
    const query = {
      users: "?name=Ada",
      jobs: "?search=Baker",
      feedback: "?completed=yes",
      reports: "?state=open",
      audit: "?subject=places",
      listings: "?search=x",
    }[what];
    expect((await admin.page(`/admin/${what}${query}`)).body).toContain(
      `href="/admin/${what}.csv${query}"`,
    );
  });

  it("isn't linked from a list without results", async () => {
    const query = {
      users: "?name=nobody",
      jobs: "?search=nobody",
      feedback: "?completed=yes&after=2000-01-01T00:00:00%2B00:00_1",
      reports: "?state=dismissed",
      audit: "?subject=places&subject_id=0",
      listings: "?search=nobody",
    }[what];
    const page = await admin.page(`/admin/${what}${query}`);
    expect(page).toHaveStatus(200);
    expect(page).not.toSay("Download as CSV");
  });

  it("is an error page when the rows can't be read", async () => {
    const [rpc] = {
      users: ["export_users"],
      jobs: ["jobs_page"],
      feedback: ["admin_feedback"],
      reports: ["admin_reports"],
      audit: ["admin_audit"],
      listings: ["export_listings"],
    }[what];
    outside.use(http.post(`${world.supabase.url}/rest/v1/rpc/${rpc}`, () => HttpResponse.error()));
    const answer = await admin.get(`/admin/${what}.csv`);
    expect(answer).toHaveStatus(503);
    expect(answer.headers.get("Content-Disposition")).toBeNull();
  });
});

describe("the export of users", () => {
  it("contains each user once, masked and without formulas", async () => {
    const [head, ...rows] = readLines(await admin.get("/admin/users.csv"));
    expect(head).toBe(
      "ID,Full name,Pronouns,Phone,Email,User type,SMS opt-in,Email opt-in,Supporter,Favorites (rounded down to tens),Joined (UTC),Email confirmed",
    );
    expect(rows).toHaveLength(2);
    expect(rows[0]).toContain(
      `${sam.id},"'=HYPERLINK(""https://evil.example"")",,••• 47,s•••@p•••.example,Business Owner,No,No,No,0,`,
    );
    expect(await readExportEntries()).toEqual([]);
  });

  it("explains an export with contact details before it starts", async () => {
    const page = await admin.page("/admin/users/export?email=sam");
    expect(page.heading).toBe("Download 1 user with their contact details?");
    expect(page).toSay("recorded in the audit log");
    expect(page.body).toContain('action="/admin/users.csv?email=sam"');
    expect(page).toTakeAtMostSequentialCalls(2);
    expect(await readExportEntries()).toEqual([]);
  });

  it("contains contact details after the confirmation, which is logged without the search words", async () => {
    const answer = await admin.post("/admin/users.csv?email=sam%40private.example", {
      intent: "export",
    });
    expect(answer).toHaveStatus(200);
    const lines = readLines(answer);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("Phone,Email,ZIP / postal code,User type");
    expect(lines[1]).toContain("'+1 505-555-0147,sam@private.example,,Business Owner");
    expect(await readExportEntries()).toEqual([
      {
        actor: admin.id,
        action: "export",
        subject_id: "users",
        after: { contacts: true, filter: { email: "[withheld]" } },
      },
    ]);
    expect(await admin.page("/admin/audit?action=export")).toSay(
      "Exported as CSV Export users Ada Admin",
    );
    expect(JSON.stringify(await readExportEntries())).not.toContain("sam");
  });

  it("does not start without the form's intent, or for an owner", async () => {
    const before = await readExportEntries();
    expect(await admin.post("/admin/users.csv")).toHaveStatus(400);
    expect(await sam.post("/admin/users.csv", { intent: "export" })).toBeForbidden();
    expect(await readExportEntries()).toEqual(before);
  });

  it("is read 500 rows at a time, and contains everyone once", async () => {
    await world.sql(
      `insert into auth.users (id, email, raw_user_meta_data)
         select gen_random_uuid(), 'crowd-' || n || '@mail.example', jsonb_build_object('full_name', 'Crowd ' || n) from generate_series(1, 1100) n`,
    );
    const answer = await admin.get("/admin/users.csv?name=crowd");
    expect(answer.calls.filter(({ name }) => name.includes("export_users"))).toHaveLength(3);
    const found = answer.body.match(/Crowd \d+/g)!;
    expect(found).toHaveLength(1_100);
    expect(new Set(found).size).toBe(1_100);
  });
});

describe("the other exports", () => {
  it("contain what their lists show with the same filter", async () => {
    const feedback = await admin.get("/admin/feedback.csv");
    expect(feedback.body).toContain(`"'@SUM(A1)\nTwo lines"`);
    expect(feedback.body).not.toContain("Done with");
    expect((await admin.get("/admin/feedback.csv?completed=yes")).body).toContain("Done with");

    const [, report] = readLines(await admin.get("/admin/reports.csv"));
    expect(report).toContain(`"'+Café, “X”",${listing.id},Published,'-1,Moved,`);
    expect(report).not.toContain(sam.id);
    expect(readLines(await admin.get("/admin/reports.csv?state=resolved"))).toHaveLength(1);

    const [, job] = readLines(await admin.get("/admin/jobs.csv"));
    expect(job).toContain(
      `Baker,Pending payment,,"'=HYPERLINK(""https://evil.example"")",${sam.id},s•••@p•••.example,`,
    );
    expect(readLines(await admin.get("/admin/jobs.csv?search=nobody"))).toHaveLength(1);

    const audit = await admin.get(`/admin/audit.csv?subject=places&subject_id=${listing.id}`);
    expect(readLines(audit)[1]).toContain("Owner email: Withheld");
    expect(audit.body).not.toContain("sam@private.example");
  });
});
