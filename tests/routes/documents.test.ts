/** What every page carries, and how failures look from outside. */
import { http, HttpResponse } from "msw";
import { describe, expect, it, vi } from "vitest";

import { appRoutes } from "../support/app";
import { expectConsole } from "../support/console";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld();
const { log } = await import("~/http/log.server");

const PAGES = ["/login", "/signup", "/recovery", "/no-such-page"];

describe.each(PAGES)("%s", (path) => {
  it("carries the headers that protect people", async () => {
    const { headers } = await world.anonymous().page(path);
    expect(headers.get("Content-Security-Policy")).toMatch(
      /default-src 'none'.*script-src [^;]*'nonce-[\w+/=]{16,}'/,
    );
    expect(headers.get("Content-Security-Policy")).not.toMatch(/script-src[^;]*unsafe/);
    expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Referrer-Policy")).toMatch(
      /^(same-origin|strict-origin-when-cross-origin)$/,
    );
    expect(headers.get("Cache-Control")).toContain("no-store");
    expect(headers.get("X-Request-Id")).toMatch(/^[\w-]{8,}$/);
  });

  it("gives each of its scripts the nonce, a new one every time", async () => {
    const [one, other] = [await world.anonymous().page(path), await world.anonymous().page(path)];
    const nonce = /'nonce-([^']+)'/.exec(one.headers.get("Content-Security-Policy")!)![1]!;
    const scripts = one.body.match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
    expect(other.headers.get("Content-Security-Policy")).not.toContain(nonce);
  });

  it("has no inline style or handler, which the policy would block", async () => {
    const { body } = await world.anonymous().page(path);
    expect(body).not.toMatch(/<[^>]+\sstyle="/);
    expect(body).not.toMatch(/<[^>]+\son[a-z]+="/);
  });
});

describe("a file", () => {
  const FILES = appRoutes.map(({ path }) => path).filter((path) => /\.(csv|ics|json)$/.test(path));

  it("that another site opens is refused, as it could tell by the download that someone is signed in", async () => {
    const admin = await world.admin();
    const { id } = await world.listing({ owner: admin });
    await world.sql(
      `insert into public.sponsorships (id, place_id, promo_text, owner, paid) overriding system value
        values ($1, $1, 'Come in', $2, true)`,
      [id, admin.id],
    );
    expect(FILES.length).toBeGreaterThan(9);
    for (const pattern of FILES) {
      const path = pattern.replace(":id", String(id));
      for (const secFetchSite of ["same-origin", "none", null])
        expect(await admin.get(path, { secFetchSite }), path).toHaveStatus(200);
      for (const secFetchSite of ["cross-site", "same-site"]) {
        const answer = await admin.get(path, { secFetchSite });
        expect(answer, path).toHaveStatus(403);
        expect(answer.headers.has("Content-Disposition"), path).toBe(false);
        expect(answer.headers.get("Cross-Origin-Opener-Policy"), path).toBe("same-origin");
      }
    }
  });
});

describe("a failure that no one expected", () => {
  async function failing() {
    const owner = await world.owner();
    const logged = vi.spyOn(log(), "error").mockImplementation(() => undefined);
    outside.use(
      http.post(`${world.supabase.url}/rest/v1/rpc/my_dashboard`, () =>
        HttpResponse.json(
          {
            code: "42703",
            message: `column "secret" of postgres://admin:hunter2@db.internal does not exist`,
            details: "select secret from places",
          },
          { status: 400 },
        ),
      ),
    );
    const page = await owner.page("/listings");
    return { owner, page, logged };
  }

  it("is explained without detail, and with the id that the log has for it", async () => {
    const { page, logged } = await failing();
    expect(page).toHaveStatus(500);
    expect(page.body).not.toMatch(
      /secret|hunter2|db\.internal|42703|select |at .*\.tsx?:|node_modules|sb_/,
    );
    const requestId = page.headers.get("X-Request-Id")!;
    expect(page).toSay(requestId);
    expect(JSON.stringify(logged.mock.calls)).toContain(requestId);
  });

  it("leaves no secret in the log either", async () => {
    const { owner, logged } = await failing();
    const lines = JSON.stringify(logged.mock.calls);
    expect(lines).not.toContain(owner.email);
    expect(lines).not.toContain(world.supabase.secretKey);
    expect(lines).not.toContain(owner.cookies.get("session")!);
  });
});

describe("a page that is not there", () => {
  it.each([
    "/no-such-page",
    "/listings/new/more",
    "/.env",
    "/wp-login.php",
    "/admin/nothing",
    "/%E0%A4%A",
    "/%00",
    "/a".repeat(500),
  ])("%s is a 404 with a way on", async (path) => {
    // The router notes an address that it cannot decode.
    expectConsole("warn", /could not be decoded/);
    const page = await world.anonymous().page(path);
    expect(page.status).toBeOneOf([400, 404]);
    expect(page.body).toContain('href="/"');
  });

  it("is the same for a form", async () => {
    expect((await world.anonymous().submit("/no-such-page", { a: "b" })).status).toBeOneOf([
      404, 405,
    ]);
    // A page that has no form.
    const refused = await world.anonymous().submit("/", { a: "b" });
    expect(refused).toHaveStatus(405);
    expect(refused).toSay("Page not found");
    expect(refused).not.toSay("Something went wrong on our side");
  });
});

describe("over https", () => {
  it("cookies are Secure and tied to the host", async () => {
    vi.resetModules();
    vi.stubEnv("APP_URL", "https://dashboard.test");
    const { serializeSession } = await import("~/http/session.server");
    const line = await serializeSession({ accessToken: "a", refreshToken: "r", expiresAt: 1 });
    expect(line).toMatch(/^__Host-session=/);
    expect(line).toMatch(/; Secure/);
    expect(line).not.toMatch(/Domain=/);
    vi.unstubAllEnvs();
  });
});

it("a page has its letters and nothing between them, wherever it is cut into pieces on its way", async () => {
  for (const fullName of ["Zoë", "Zoë A", "Zoë Ab", "Zoë Abc"]) {
    const owner = await world.owner({ fullName });
    for (let n = 0; n < 8; n++) await world.listing({ owner, name: `“${"🏳️‍🌈’".repeat(10)}”` });
    expect((await owner.page("/listings")).body).not.toContain("\0");
  }
});
