/**
 * What holds for every route, including new ones: it is made by the wrapper, its errors have a page
 * of the dashboard, and it is in the table below, which says who may do what.
 */
import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import { appRoutes, loadRoute, matchPath } from "../support/app";
import type { Answer } from "../support/answer";
import type { Person } from "../support/person";
import { useLongDeadlines } from "../support/long-deadlines";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld();
const { getAccess } = await import("~/http/route.server");
const { toSafePath } = await import("~/http/safe-path.server");

/** Where "Leave quickly" leads when nothing else is configured. */
const WEATHER = "https://www.weather.gov/";

/**
 * What each kind of user gets:
 *   in        access: the page, or the answer to the form, which is empty here
 *   sign in   redirected to /login, and back after signing in
 *   403 to 405  that status
 *   /path     redirected there
 * `owner` owns the listing in the path; `other owner` does not.
 */
const access: Record<
  string,
  [anonymous: string, owner: string, otherOwner: string, admin: string]
> = {
  //                        anonymous   owner      other owner  admin
  "GET /": ["sign in", "in", "in", "in"],
  "GET /healthz": ["in", "in", "in", "in"],
  "GET /readyz": ["in", "in", "in", "in"],
  "GET /login": ["in", "/", "/", "/"],
  "POST /login": ["in", "/", "/", "/"],
  "GET /login/code": ["/login?redirectTo=%2F", "/", "/", "/"],
  "POST /login/code": ["in", "in", "in", "in"],
  "GET /logout": ["/", "/", "/", "/"],
  "POST /logout": ["/login", "/login", "/login", "/login"],
  "GET /leave": ["/", "/", "/", "/"],
  "POST /leave": [WEATHER, WEATHER, WEATHER, WEATHER],
  "GET /version": ["/", "/", "/", "/"],
  "POST /version": ["/", "/", "/", "/"],
  "GET /signup": ["in", "/", "/", "/"],
  "POST /signup": ["in", "/", "/", "/"],
  "GET /confirm": ["/login", "/login", "/login", "/login"],
  "POST /confirm": ["in", "in", "in", "in"],
  "GET /recovery": ["in", "in", "in", "in"],
  "POST /recovery": ["in", "in", "in", "in"],
  "GET /recovery/new": ["sign in", "/recovery", "/recovery", "/recovery"],
  "POST /recovery/new": ["in", "in", "in", "in"],
  "GET /switch-account": ["/", "/", "/", "/"],
  "POST /switch-account": ["in", "in", "in", "in"],
  "GET /resume": ["sign in", "/", "/", "/"],
  "GET /account": ["sign in", "in", "in", "in"],
  "POST /account": ["sign in", "in", "in", "in"],
  "GET /listings": ["sign in", "in", "in", "in"],
  "GET /listings/new": ["sign in", "in", "in", "in"],
  "POST /listings/new": ["sign in", "in", "in", "in"],
  "GET /listings/:id": ["sign in", "in", "404", "in"],
  "POST /listings/:id": ["sign in", "in", "404", "in"],
  "GET /drafts": ["405", "405", "405", "405"],
  "POST /drafts": ["sign in", "in", "in", "in"],
  "GET /addresses": ["405", "405", "405", "405"],
  "POST /addresses": ["in", "in", "in", "in"],
  "GET /phone-check": ["405", "405", "405", "405"],
  "POST /phone-check": ["in", "in", "in", "in"],
  "GET /listings/:id/visibility": ["sign in", "in", "404", "404"],
  "POST /listings/:id/visibility": ["sign in", "in", "in", "in"],
  "GET /listings/:id/archive": ["sign in", "in", "404", "404"],
  "GET /listings/:id/preview": ["sign in", "in", "404", "in"],
  "GET /listings/:id/withdraw": ["sign in", "/listings/1", "404", "404"],
  "POST /listings/:id/withdraw": ["sign in", "in", "in", "in"],
  "GET /listings/:id/managers": ["sign in", "in", "404", "in"],
  "POST /listings/:id/managers": ["sign in", "in", "in", "in"],
  "GET /listings/:id/managers/:manager": ["sign in", "in", "404", "in"],
  "GET /listings/:id/leave": ["sign in", "404", "404", "404"],
  "POST /listings/:id/leave": ["sign in", "in", "in", "in"],
  "GET /invitation": ["in", "in", "in", "in"],
  "POST /invitation": ["sign in", "in", "in", "in"],
  "GET /listings/drafts/:draft/discard": ["sign in", "in", "404", "404"],
  "POST /listings/drafts/:draft/discard": ["sign in", "/listings", "/listings", "/listings"],
  "GET /leads": ["in", "in", "in", "in"],
  "GET /leads.csv": ["sign in", "in", "in", "in"],
  "GET /leads/:id": ["sign in", "in", "404", "404"],
  "POST /leads/:id": ["sign in", "in", "404", "404"],
  "GET /sponsor": ["sign in", "in", "in", "in"],
  "POST /sponsor": ["sign in", "in", "in", "in"],
  "GET /sponsor/new": ["sign in", "in", "in", "in"],
  "POST /sponsor/new": ["sign in", "in", "in", "in"],
  "GET /sponsor/:id": ["sign in", "in", "404", "404"],
  "POST /sponsor/:id": ["sign in", "in", "404", "404"],
  "GET /sponsor/:id/calendar.ics": ["sign in", "in", "404", "404"],
  "GET /privacy": ["in", "in", "in", "in"],
  "POST /privacy": ["sign in", "in", "in", "in"],
  "GET /privacy/my-data.json": ["sign in", "in", "in", "in"],
  "GET /privacy/delete": ["sign in", "in", "in", "in"],
  "POST /privacy/delete": ["sign in", "in", "in", "in"],
  "GET /account/notices": ["sign in", "in", "in", "in"],
  "POST /account/notices": ["sign in", "/account/notices", "/account/notices", "/account/notices"],
  "GET /account/two-step": ["sign in", "in", "in", "in"],
  "POST /account/two-step": ["sign in", "in", "in", "in"],
  "GET /account/two-step/new": [
    "sign in",
    "/account/two-step",
    "/account/two-step",
    "/account/two-step",
  ],
  "POST /account/two-step/new": [
    "sign in",
    "/account/two-step",
    "/account/two-step",
    "/account/two-step",
  ],
  "GET /account/two-step/qr.svg": ["sign in", "404", "404", "404"],
  "GET /account/two-step/codes": [
    "sign in",
    "/account/two-step",
    "/account/two-step",
    "/account/two-step",
  ],
  "GET /unsubscribe": ["404", "404", "404", "404"],
  "POST /unsubscribe": ["in", "in", "in", "in"],
  "GET /privacy/tracking": ["in", "in", "in", "in"],
  "POST /privacy/tracking": ["/", "/", "/", "/"],
  "GET /jobs": ["sign in", "in", "in", "in"],
  "POST /jobs": ["sign in", "in", "in", "in"],
  "GET /jobs/new": ["sign in", "in", "in", "in"],
  "POST /jobs/new": ["sign in", "in", "in", "in"],
  "GET /jobs/:id": ["sign in", "in", "404", "in"],
  "POST /jobs/:id": ["sign in", "in", "404", "in"],
  "GET /jobs/:id/status": ["sign in", "in", "404", "in"],
  "POST /jobs/:id/status": ["sign in", "in", "in", "in"],
  "GET /jobs/:id/preview": ["sign in", "in", "404", "in"],
  "GET /admin": ["sign in", "403", "403", "in"],
  "GET /admin/jobs": ["sign in", "403", "403", "in"],
  "GET /admin/listings": ["sign in", "403", "403", "in"],
  "POST /admin/listings": ["sign in", "403", "403", "in"],
  "GET /admin/new": ["sign in", "403", "403", "in"],
  "POST /admin/new": ["sign in", "403", "403", "in"],
  "GET /admin/pending": ["sign in", "403", "403", "in"],
  "POST /admin/pending": ["sign in", "403", "403", "in"],
  "GET /admin/flagged": ["sign in", "403", "403", "in"],
  "POST /admin/flagged": ["sign in", "403", "403", "in"],
  "GET /admin/premium": ["sign in", "403", "403", "in"],
  "POST /admin/premium": ["sign in", "403", "403", "in"],
  "GET /admin/listings.csv": ["sign in", "403", "403", "in"],
  "POST /admin/listings.csv": ["sign in", "403", "403", "in"],
  "GET /admin/listings/export": ["sign in", "403", "403", "in"],
  "GET /admin/listings/:id/details": ["sign in", "403", "403", "in"],
  "POST /admin/listings/:id/details": ["sign in", "403", "403", "in"],
  "GET /admin/decisions/:batch": ["sign in", "403", "403", "404"],
  "POST /admin/decisions/:batch": ["sign in", "403", "403", "in"],
  "GET /admin/listings/:id": ["sign in", "403", "403", "in"],
  "POST /admin/listings/:id": ["sign in", "403", "403", "in"],
  "GET /upgrade": ["in", "in", "in", "in"],
  "POST /upgrade": ["sign in", "in", "in", "in"],
  "GET /listings/:id/billing": ["sign in", "in", "404", "404"],
  "POST /listings/:id/billing": ["sign in", "in", "404", "404"],
  "GET /listings/:id/billing/end": ["sign in", "/listings/1/billing", "404", "404"],
  "GET /webhooks/stripe": ["405", "405", "405", "405"],
  "POST /webhooks/stripe": ["in", "in", "in", "in"],
  "GET /webhooks/auth-emails": ["405", "405", "405", "405"],
  "POST /webhooks/auth-emails": ["in", "in", "in", "in"],
  "GET /account/invoices": ["sign in", "in", "in", "in"],
  "POST /account/invoices": ["sign in", "in", "in", "in"],
  "GET /account/purchases": ["sign in", "in", "in", "in"],
  "POST /account/purchases": ["sign in", "in", "in", "in"],
  "GET /account/purchases.csv": ["sign in", "in", "in", "in"],
  "GET /account/purchases/:plan/end": ["sign in", "404", "404", "404"],
  "GET /account/purchases/:payment/receipt": ["sign in", "404", "404", "404"],
  "GET /admin/payments": ["sign in", "403", "403", "in"],
  "GET /admin/payments.csv": ["sign in", "403", "403", "in"],
  "GET /admin/payments/:order": ["sign in", "403", "403", "404"],
  "POST /admin/payments/:order": ["sign in", "403", "403", "404"],
  "GET /admin/payments/:order/end": ["sign in", "403", "403", "404"],
  "GET /admin/newsletter-dates": ["sign in", "403", "403", "in"],
  "POST /admin/newsletter-dates": ["sign in", "403", "403", "in"],
  "GET /admin/retool": ["sign in", "403", "403", "in"],
  "GET /admin/users": ["sign in", "403", "403", "in"],
  "POST /admin/users": ["sign in", "403", "403", "in"],
  "GET /admin/users.csv": ["sign in", "403", "403", "in"],
  "POST /admin/users.csv": ["sign in", "403", "403", "in"],
  "GET /admin/users/export": ["sign in", "403", "403", "in"],
  "GET /admin/jobs.csv": ["sign in", "403", "403", "in"],
  "GET /admin/feedback.csv": ["sign in", "403", "403", "in"],
  "GET /admin/reports.csv": ["sign in", "403", "403", "in"],
  "GET /admin/audit.csv": ["sign in", "403", "403", "in"],
  "GET /admin/users/:user": ["sign in", "403", "403", "in"],
  "POST /admin/users/:user": ["sign in", "403", "403", "in"],
  "GET /admin/users/:user/delete": ["sign in", "403", "403", "in"],
  "POST /admin/users/:user/delete": ["sign in", "403", "403", "in"],
  "GET /admin/feedback": ["sign in", "403", "403", "in"],
  "POST /admin/feedback": ["sign in", "403", "403", "in"],
  "GET /admin/reports": ["sign in", "403", "403", "in"],
  "POST /admin/reports": ["sign in", "403", "403", "in"],
  "GET /admin/two-step": ["sign in", "403", "403", "in"],
  "POST /admin/two-step": ["sign in", "403", "403", "in"],
  "GET /admin/audit": ["sign in", "403", "403", "in"],
  "GET /*": ["404", "404", "404", "404"],
  "POST /*": ["404", "404", "404", "404"],
};

const owner = await world.owner();
const listing = await world.listing({ owner, status: "new", name: "Only For Its Owner" });

const unfinished = {
  id: "5eed0000-0000-4000-9000-00000000000a",
  owner: owner.id,
  fields: JSON.stringify({ name: "Only For Its Owner" }),
};
await world.insert("listing_drafts", unfinished);

const manager = await world.owner();
await world.insert("listing_managers", { place_id: listing.id, profile_id: manager.id });

// The id in its path is the id of a listing.
await world.sql(
  `insert into public.leads (id, place_id, requester_name, requester_email, message) overriding system value
    values ($1, $1, 'Kai', 'kai@example.test', 'Only For Its Owner')`,
  [listing.id],
);

// The same holds for this one.
await world.sql(
  `insert into public.jobs (id, title, category, description, location, company_name, company_bio, owner) overriding system value
    values ($1, 'Only For Its Owner', 85, 'Bake.', '{Anywhere}', 'X', 'Y', $2)`,
  [listing.id, owner.id],
);
await world.sql(
  `insert into public.sponsorships (id, place_id, promo_text, owner, paid) overriding system value
    values ($1, $1, 'Only For Its Owner', $2, true)`,
  [listing.id, owner.id],
);

const people: Record<string, () => Promise<Person>> = {
  anonymous: async () => world.anonymous(),
  owner: () => world.signIn(owner),
  "other owner": () => world.owner(),
  admin: () => world.admin(),
};

const signedIn = new Map<string, Person>();

/** One of them in a new tab. Signing up or in for each of a thousand requests took more time than the requests. */
async function openTab(who: string): Promise<Person> {
  const person = signedIn.get(who) ?? (await people[who]!());
  signedIn.set(who, person);
  return person.otherTab();
}

/** An answer that changed the cookies may have ended the session: who comes next signs in again. */
function forgetChanged(who: string, { setCookies }: Answer) {
  if (setCookies.length > 0) signedIn.delete(who);
}

/** A path of the route: with the id of the owner's listing, draft, or account, or an arbitrary one. */
const pathOf = (pattern: string) =>
  pattern
    .replace(":id", String(listing.id))
    .replace(":draft", unfinished.id)
    .replace(":user", owner.id)
    .replace(":manager", manager.id)
    .replace(":batch", unfinished.id);

function outcome(answer: Answer, path: string): string {
  if (answer.location === `/login?redirectTo=${encodeURIComponent(path)}`) return "sign in";
  if (answer.location !== null) return answer.location;
  if ([403, 404, 405].includes(answer.status)) return String(answer.status);
  return answer.status < 500 ? "in" : `failure ${answer.status}`;
}

const loaded = await Promise.all(
  appRoutes.map(async (route) => ({ route, module: await loadRoute(route.id) })),
);
const handlers = loaded.flatMap(({ route, module }) => [
  ...(module.loader
    ? [{ name: `GET ${route.path}`, path: route.path, handler: module.loader }]
    : []),
  ...(module.action
    ? [{ name: `POST ${route.path}`, path: route.path, handler: module.action }]
    : []),
]);

describe("every loader and action", () => {
  it.each(handlers)("$name is made by the wrapper, which states its access", ({ handler }) => {
    expect(getAccess(handler)).toMatch(/^(open|signed in|admin|signed)$/);
  });

  it.each(handlers.filter(({ handler }) => getAccess(handler) === "signed"))(
    "$name rejects unsigned requests from every sender",
    async ({ path }) => {
      const body = JSON.stringify({
        id: "evt_1",
        type: "checkout.session.completed",
        data: { object: { id: "cs_1" } },
      });
      for (const person of [world.anonymous(), await people.owner!(), await people.admin!()]) {
        for (const headers of [
          {},
          { "Stripe-Signature": "t=1,v1=00" },
          { Authorization: "Bearer x" },
        ] as Record<string, string>[]) {
          const answer = await person.post(path, undefined, {
            body,
            headers: { "content-type": "application/json", ...headers },
          });
          expect(answer.status).toBe(400);
          expect(answer.setCookies).toEqual([]);
        }
      }
    },
  );

  it("includes the loader of the root", async () => {
    const root = await loadRoute("root");
    expect(getAccess(root.loader)).toBe("open");
    expect(root.action).toBeUndefined();
  });

  it("is in the table of who may do what, and nothing else is", () => {
    expect(handlers.map(({ name }) => name).sort()).toEqual(Object.keys(access).sort());
  });

  it("requires an admin on the admin pages, and nowhere else", () => {
    for (const { name, path, handler } of handlers) {
      expect(getAccess(handler) === "admin", name).toBe(/^\/admin(\/|$)/.test(path));
    }
  });
});

describe("every page", () => {
  const pages = loaded.filter(({ module }) => module.default);

  it.each(pages)("$route.path has a loader, which checks who may see it", ({ module }) => {
    expect(module.loader).toBeDefined();
  });

  it.each(pages)("$route.path has an error page of the dashboard", async ({ route, module }) => {
    let boundary = module.ErrorBoundary;
    for (let parent = route.parentId ?? "root"; !boundary; parent = parentOf(parent)) {
      boundary = (await loadRoute(parent)).ErrorBoundary;
      if (parent === "root") break;
    }
    expect(boundary).toBeTypeOf("function");
  });

  function parentOf(id: string) {
    return appRoutes.find((route) => route.id === id)?.parentId ?? "root";
  }
});

describe("every file", () => {
  const files = loaded.filter(
    ({ module }) => !module.default && module.loader && getAccess(module.loader) !== "open",
  );

  it.each(files)("$route.path that can't be read is a page that says so", async ({ route }) => {
    const admin = await openTab("admin");
    outside.use(http.all(`${world.supabase.url}/*`, () => HttpResponse.error()));
    const path = pathOf(route.path);
    const answer = await admin.page(path);
    expect(answer).toHaveStatus(503);
    expect(answer.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("Content-Security-Policy")).toContain("style-src 'self'");
    expect(answer.title).toBe("Something isn’t responding right now · Dashboard");
    expect(answer).toSay("Please try again in a minute.");
    expect(answer.body).toContain(`href="${path}"`);
    expect(answer.body).toContain('action="/leave"');

    const forScript = await admin.page(path, { headers: { Accept: "*/*" } });
    expect(forScript).toHaveStatus(503);
    expect(forScript.data).toMatchObject({ title: "Something isn’t responding right now" });
  });

  it.each(files)("$route.path leads those who had to sign in to its page", async ({ route }) => {
    const path = toSafePath(`${pathOf(route.path)}?search=x`);
    expect(path).toMatch(/\?search=x$/);
    const page = matchPath(path.split("?")[0]!).at(-1)!;
    expect((await loadRoute(page.id)).default).toBeTypeOf("function");
    expect(page.params["*"]).toBeUndefined();
  });

  it.each(["/drafts", "/webhooks/stripe"])("%s says that it has no page", async (path) => {
    const answer = await (await openTab("anonymous")).page(path);
    expect(answer).toHaveStatus(405);
    expect(answer.headers.get("Allow")).toBe("POST");
    expect(answer.heading).toBe("There’s no page at this address");
  });

  it("is a page as well when it is asked for by a form", async () => {
    const answer = await (await openTab("owner")).submit("/admin/users.csv");
    expect(answer).toBeForbidden();
    expect(answer.heading).toBe("You don’t have access to this page");
    expect(answer.body).not.toContain("Try again");
  });
});

describe.each(Object.keys(people).map((who, column) => ({ who, column })))(
  "$who",
  ({ who, column }) => {
    it.each(Object.entries(access).map(([name, row]) => ({ name, expected: row[column]! })))(
      "$name: $expected",
      async ({ name, expected }) => {
        // A busy machine may take longer than the app gives the services it asks.
        useLongDeadlines();
        const person = await openTab(who);
        const [method, pattern] = name.split(" ") as [string, string];
        const path = pathOf(pattern);
        await world.sql(
          "insert into public.listing_drafts (id, owner, fields) values ($1, $2, $3) on conflict do nothing",
          Object.values(unfinished),
        );
        const answer = method === "GET" ? await person.get(path) : await person.post(path);
        forgetChanged(who, answer);

        expect(outcome(answer, path)).toBe(expected);
        if (expected === "sign in" || expected === "403")
          expect(answer.body).not.toContain(listing.name);
      },
    );

    // The data of a page can be requested without the page, and needs the same protection.
    it.each(
      Object.entries(access).filter(
        ([name, row]) => name.startsWith("GET") && /sign in|40[345]/.test(row[column]!),
      ),
    )("%s: its data request gives nothing away", async (name) => {
      const person = await openTab(who);
      const answer = await person.dataOf(pathOf(name.slice(4)));
      forgetChanged(who, answer);
      expect([202, 302, 403, 404, 405]).toContain(answer.status);
      expect(answer.body).not.toContain(listing.name);
    });
  },
);
