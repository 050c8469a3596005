import { describe, expect, it } from "vitest";

import { createWorld } from "../support/world";

const world = await createWorld({
  env: { ADMIN_TOOL_URL: "https://team.tool.example/apps/db?embed=1" },
});
const admin = await world.admin();
const policy = (headers: Headers) => headers.get("Content-Security-Policy");

describe("the database tool", () => {
  it("is shown in a sandboxed frame without a referrer", async () => {
    const page = await admin.page("/admin/retool");
    expect(page).toHaveStatus(200);
    const frame = /<iframe[^>]*>/.exec(page.body)![0];
    expect(frame).toContain('src="https://team.tool.example/apps/db?embed=1"');
    expect(frame).toContain('title="Database tool"');
    expect(frame).toMatch(/referrerPolicy="no-referrer"/i);
    expect(frame).toContain("sandbox=");
    expect(page.body).toContain(
      '<a href="https://team.tool.example/apps/db?embed=1" rel="noreferrer"',
    );
  });

  it("is the only allowed frame, and only on its own page", async () => {
    expect(policy((await admin.page("/admin/retool")).headers)).toContain(
      "frame-src https://team.tool.example;",
    );
    for (const path of ["/admin", "/admin/users", "/listings", "/admin/retoolx"]) {
      expect(policy((await admin.page(path)).headers)).toContain("frame-src 'none'");
    }
  });

  it("is not for owners, and its URL is not sent to them", async () => {
    const owner = await world.owner();
    const page = await owner.page("/admin/retool");
    expect(page).toBeForbidden();
    expect(page.body).not.toContain("team.tool.example");
    expect(policy(page.headers)).toContain("frame-src 'none'");
  });
});
