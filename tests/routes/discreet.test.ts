/** Who may see what this directory is: pages, tabs, and files in discreet mode and without a user. */
import { readFileSync } from "node:fs";

import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import { appRoutes, loadRoute } from "../support/app";
import { outside } from "../support/outside";
import { samplesOf } from "../support/sample-data";
import { createWorld } from "../support/world";

const NAME = "Marigold Map";
const world = await createWorld({ env: { APP_NAME: NAME } });

const admin = await world.admin({ fullName: "Robin" });
await world.sql("update public.profiles set discreet = true where id = $1", [admin.id]);
const listing = await world.listing({ owner: admin, name: "Fern & Flour" });
await world.sql(
  `insert into public.leads (id, place_id, requester_name, requester_email, message) overriding system value
    values ($1, $1, 'Kai', 'kai@example.test', 'Hello')`,
  [listing.id],
);
await world.sql(
  `insert into public.jobs (id, title, category, description, location, company_name, company_bio, owner) overriding system value
    values ($1, 'Baker', 85, 'Bake.', '{Anywhere}', 'X', 'Y', $2)`,
  [listing.id, admin.id],
);
await world.sql(
  `insert into public.sponsorships (id, place_id, promo_text, owner, paid, sponsorship_dates)
    overriding system value values ($1, $1, 'Come in', $2, true, '{2027-01-05}')`,
  [listing.id, admin.id],
);

const pages = await Promise.all(
  appRoutes.map(async ({ id, path }) => ({ path, module: await loadRoute(id) })),
);
const paths = pages
  .filter(({ module }) => module.loader)
  .map(({ path }) => path)
  .filter((path) => path !== "/signup");
const pathOf = (pattern: string) =>
  pattern
    .replace(":id", String(listing.id))
    .replace(/:user|:manager/, admin.id)
    .replace(/:draft|:batch/, "5eed0000-0000-4000-9000-00000000000a")
    .replace("/*", "/no-such-page");

/** The name as it may be written in HTML, in JSON, in a URL, or in a calendar. */
const NAMES = /marigold/i;

describe("in discreet mode", () => {
  it.each(paths)("%s does not name the directory, not even in its data", async (pattern) => {
    const path = pathOf(pattern);
    for (const answer of [await admin.page(path), await admin.dataOf(path)])
      expect(answer.body).not.toMatch(NAMES);
  });

  it("neither does the calendar of newsletter features, which other apps show", async () => {
    const calendar = await admin.get(`/sponsor/${listing.id}/calendar.ics`);
    expect(calendar).toHaveStatus(200);
    expect(calendar.body).not.toContain(new URL(world.appUrl).hostname);
    // Nor the business, whose name may say what it is.
    expect(calendar.body).toContain("SUMMARY:Newsletter feature: F…");
  });

  it("the logo and the rainbow are gone as well, and the icon is plain", async () => {
    const page = await admin.page("/listings");
    expect(page.title).toBe("Business Listings · Dashboard");
    expect(page.body).toMatch(/href="[^"]*\/favicon-plain\.svg"/);
    expect(page.body).not.toMatch(/#mark|touch-icon|class="branded"/);
  });

  it("titles don’t say what a page is about, as they do for others", async () => {
    expect((await admin.page(`/listings/${listing.id}`)).title).toBe("Edit listing · Dashboard");
    expect((await admin.page(`/jobs/${listing.id}`)).title).toBe("Edit job · Dashboard");
    const owner = await world.owner();
    const { id } = await world.listing({ owner, name: "Fern & Flour" });
    expect((await owner.page(`/listings/${id}`)).title).toBe(`Edit Fern & Flour · ${NAME}`);
    expect((await owner.page(`/listings/${id}/managers`)).title).toBe(
      `Managers: Fern & Flour · ${NAME}`,
    );
  });

  it("all of it comes back when it is turned off", async () => {
    const owner = await world.owner();
    const shown = async () => {
      const { title, body } = await owner.page("/listings");
      expect(title).toBe(`Business Listings · ${NAME}`);
      expect(body).toMatch(/class="branded".*href="[^"]*\/favicon\.svg".*#mark.*Marigold Map/s);
    };
    await shown();
    await owner.post("/privacy", { intent: "discreet" });
    expect((await owner.page("/listings")).body).not.toMatch(NAMES);
    await owner.post("/privacy", { intent: "open" });
    await shown();
  });
});

describe("an email", async () => {
  const { composeEmail } = await import("~/modules/emails/compose-email.server");
  const { emailTemplates } = await import("~/modules/emails/templates.server");
  const { accountEmails } = await import("~/modules/accounts/account-emails.server");
  const { EMAIL_REFUND_REASONS } = await import("~/modules/billing/refund-reasons");
  /** The name, and words that say whom the directory is for. */
  const REVEALS =
    /marigold|queer|lgbt|\bgay\b|lesbian|bisexual|\btrans\b|transgender|rainbow|\bpride\b/i;
  const TEXTS = ["2026-12-01T08:00:00Z", ...Object.keys(EMAIL_REFUND_REASONS)];

  /** Every email of a kind, whatever its data has, as these people get it. */
  const emailsOf = (kind: string, to: { user_id: string | null; discreet: boolean }) =>
    samplesOf(emailTemplates[kind]!.schema, TEXTS).map((data) =>
      composeEmail({ id: "1", kind, data, email: "a@example.test", full_name: "Robin", ...to }),
    );
  const whole = ({ subject, text, html, to }: ReturnType<typeof composeEmail>) =>
    [subject, text, html, to.name].join("\n");
  const reasonOf = ({ text }: { text: string }) => text.split("\n-- \n")[1]!.split("\n")[0]!;

  it.each(Object.keys(emailTemplates))(
    "about %s names no directory to someone in discreet mode, nor says what it is",
    (kind) => {
      for (const user_id of [admin.id, null])
        for (const email of emailsOf(kind, { user_id, discreet: true })) {
          expect(email.subject).toBe("A message for you");
          expect(email.anonymous).toBe(true);
          expect(whole(email)).not.toMatch(REVEALS);
          expect(email.html).toContain("<title>Tap to read</title>");
        }
    },
  );

  it("doesn’t say to someone in discreet mode what they have called their listings and jobs, nor who they are", () => {
    const named = { name: "Queer Books", listing: "Queer Books", business: "Queer Books" };
    const emails = (discreet: boolean) =>
      Object.keys(emailTemplates).flatMap((kind) =>
        samplesOf(emailTemplates[kind]!.schema, TEXTS).map((data) => {
          const own = { ...named, title: "Queer librarian" } as Record<string, unknown>;
          const names = Object.entries(data as object).map(([key, value]) => [
            key,
            typeof value === "string" ? (own[key] ?? value) : value,
          ]);
          return composeEmail({
            ...{ id: "1", kind, data: Object.fromEntries(names), email: "a@example.test" },
            ...{ full_name: "Robin", user_id: admin.id, discreet },
          });
        }),
      );
    const [open, discreet] = [emails(false), emails(true)].map((all) => all.map(whole).join("\n"));
    expect(open).toMatch(/“Queer Books”[^]*“Queer librarian”/);
    expect(open).toMatch(/Hello Robin,[^]*Robin$/m);
    expect(discreet).not.toMatch(REVEALS);
    expect(discreet).not.toContain("Robin");
    expect(discreet).toContain("“Q…” is approved");
  });

  it.each(Object.keys(emailTemplates))(
    "about %s gives a reason that is true of an account without a listing, and nothing away on a lock screen",
    (kind) => {
      const users = Object.hasOwn(accountEmails, kind) ? [admin.id, null] : [admin.id];
      for (const user_id of users)
        for (const discreet of [true, false])
          for (const email of emailsOf(kind, { user_id, discreet })) {
            expect(reasonOf(email)).toMatch(/^You’re receiving this because /);
            expect(reasonOf(email)).not.toMatch(/\blistings?\b/);
            expect(`${email.subject}${/<title>.*<\/title>/.exec(email.html)![0]}`).not.toMatch(
              REVEALS,
            );
          }
    },
  );

  it("about what the auth service asked for names no directory to anyone: it knows only an address", () => {
    for (const kind of Object.keys(accountEmails))
      for (const email of emailsOf(kind, { user_id: null, discreet: false }))
        expect(whole(email)).not.toMatch(REVEALS);
  });

  it("is made of every shape of its data", () => {
    const all = Object.keys(emailTemplates).flatMap((kind) =>
      emailsOf(kind, { user_id: admin.id, discreet: false }).map(({ text }) => text),
    );
    // Of each of these, a sentence that needs several parts of the data.
    for (const sentence of [
      /Your last payment hasn’t gone through, and we may retry it/,
      /The listing is still booked for the newsletter/,
      /We refunded it because you’d paid twice/,
      /It stays hidden until you show it/,
      /Our team has ended your plan/,
    ])
      expect(all.join("\n")).toMatch(sentence);
  });
});

/** A tab that does not say what it shows, and a way out. */
async function expectNeutral(page: Awaited<ReturnType<typeof admin.page>>) {
  expect(page.title).not.toMatch(NAMES);
  expect(page.body).toMatch(/href="[^"]*\/favicon-plain\.svg"/);
  expect(page.body).not.toMatch(/favicon\.svg|touch-icon|class="branded"/);
  expect(page.body).toMatch(/<form method="post" action="\/leave"[^>]*><button/);
  expect(page.headers.get("Cache-Control")).toBe("no-store");
}

describe("while no one knows who is looking", () => {
  it.each(["/login", "/login?redirectTo=%2Flistings", "/recovery", "/upgrade", "/privacy"])(
    "%s is neutral for a visitor who is signed out",
    async (path) => {
      const page = await world.anonymous().page(path);
      await expectNeutral(page);
      expect(page.body).not.toMatch(NAMES);
    },
  );

  it("the address of its team is not in the page, either", async () => {
    const { env } = await import("~/env.server");
    const environment: { contactUrl: string | null } = env();
    const before = environment.contactUrl;
    environment.contactUrl = "mailto:hello@marigold.example";
    try {
      expect((await world.anonymous().page("/login")).body).not.toMatch(NAMES);
      expect((await (await world.owner()).page("/listings")).body).toContain("hello@marigold");
    } finally {
      environment.contactUrl = before;
    }
  });

  it("only the sign-up page names the directory, in its text and not in its tab", async () => {
    const page = await world.anonymous().page("/signup");
    await expectNeutral(page);
    expect(page).toSay(NAME);
  });

  it("an outage is neutral", async () => {
    const owner = await world.owner();
    outside.use(http.all(`${world.supabase.url}/*`, () => HttpResponse.error()));
    const page = await owner.page("/listings");
    expect(page).toHaveStatus(503);
    await expectNeutral(page);
    expect(page.body).not.toMatch(NAMES);
  });
});

describe("an error page", () => {
  it.each([
    ["/no-such-page", 404],
    ["/admin", 403],
    ["/listings/999999", 404],
  ])("is neutral for a user without discreet mode, too: %s", async (path, status) => {
    const page = await (await world.owner()).page(path);
    expect(page).toHaveStatus(status);
    await expectNeutral(page);
  });

  it("is neutral when the root itself fails", async () => {
    const owner = await world.owner();
    outside.use(
      http.post(`${world.supabase.url}/rest/v1/rpc/my_session`, () =>
        HttpResponse.json({ user_id: 5 }),
      ),
    );
    const page = await owner.page("/listings");
    expect(page).toHaveStatus(500);
    await expectNeutral(page);
    expect(page.body).not.toMatch(NAMES);
  });
});

describe("the rainbow", () => {
  const text = (path: string) =>
    readFileSync(new URL(`../../app/${path}`, import.meta.url), "utf8");
  const theme = text("styles/theme.css");

  it("is in the styles of pages that may show what the directory is, and of no others", () => {
    const rules = theme.split("}").filter((rule) => rule.includes("#f2c51d"));
    expect(rules).toHaveLength(1);
    expect(rules[0]).toMatch(/\n\.branded \{\n/);
  });

  it("is in the illustrations only where those styles show it", () => {
    const drawings = text("components/ui/illustrations.svg");
    const shown = /<g [^>]*opacity="var\(--pride-arcs, 0\)">.*?<\/g>/gs;
    expect(drawings.match(shown)).toHaveLength(drawings.split("#f8d34a").length - 1);
    expect(drawings.replaceAll(shown, "")).not.toMatch(/#ff8f7d|#f8d34a/);
    expect(theme.match(/--pride-arcs/g)).toHaveLength(1);
  });
});

it("the icons that browsers ask for by themselves are plain", () => {
  // Safari takes them where it can't show the page's own icon, and when a page is bookmarked.
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url));
  const branded = read("app/components/layout/touch-icon.png");
  for (const path of ["public/favicon.ico", "public/apple-touch-icon.png"]) {
    expect(read(path).equals(branded)).toBe(false);
    // An image of one gray on one ground compresses to less than a kilobyte.
    expect(read(path).byteLength).toBeLessThan(1_024);
  }
});
