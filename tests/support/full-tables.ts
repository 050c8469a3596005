/** Fills the tables of a running app, as far as one page shows them, and signs in to it, for what measures its pages. */
import type { Owned } from "./page-paths";
import type { RunningApp } from "./running-app";

export const ROWS_OF_A_FULL_TABLE = 250;
const PASSWORD = "rainbow-demo-1";

/** Signs in with the form, as a browser without script does. Returns the cookies. */
export async function signIn(app: RunningApp, email: string): Promise<string> {
  const response = await fetch(`${app.url}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: app.url },
    body: new URLSearchParams({ email, password: PASSWORD }),
  });
  if (response.status !== 303) throw new Error(`${email} could not sign in: ${response.status}`);
  return response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}

/** Signs in to the data API. Returns a function that calls it with the permissions of that user. */
export async function dataApi(app: RunningApp, email: string) {
  const token = await fetch(`${app.supabaseUrl}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: app.publishableKey, "Content-Type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const session = (await token.json()) as { access_token: string; user: { id: string } };
  const ask = async (
    path: string,
    body?: unknown,
    method = body === undefined ? "GET" : "POST",
  ): Promise<unknown> => {
    const response = await fetch(`${app.supabaseUrl}/rest/v1/${path}`, {
      method,
      headers: {
        apikey: app.publishableKey,
        Authorization: `Bearer ${session.access_token}`,
        "Content-Type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return [201, 204].includes(response.status) ? undefined : response.json();
  };
  return Object.assign(ask, { userId: session.user.id });
}

/** What the owner of the demo data has, one of each, for the addresses of pages; and who that is. */
export async function findOwned(app: RunningApp): Promise<{ owned: Owned; userId: string }> {
  const api = await dataApi(app, "owner@demo.test");
  const idOf = async (relation: string, where = "") => {
    // Of messages, the data API returns only one's own anyway.
    const mine = relation === "leads" ? "" : `&owner=eq.${api.userId}`;
    const [row] = (await api(`${relation}?select=id${mine}${where}&order=id&limit=1`)) as {
      id: number;
    }[];
    return String(row!.id);
  };
  const owned = {
    listing: await idOf("places", "&status=eq.published"),
    edited: await idOf("places", "&status=eq.pending-update"),
    featured: await idOf("places", "&premium=is.true"),
    job: await idOf("jobs"),
    lead: await idOf("leads"),
    unpaid: await idOf("sponsorships", "&paid=is.false"),
    paid: await idOf("sponsorships", "&paid=is.true"),
  };
  return { owned, userId: api.userId };
}

/** Adds more new and more edited listings than a table shows at once, with realistic names. */
export async function fillReviewQueue(app: RunningApp) {
  const newcomer = await dataApi(app, "newcomer@demo.test");
  const admin = await dataApi(app, "admin@demo.test");
  const places = ["Minneapolis", "San Francisco", "Montréal", "Albuquerque", "New Orleans"];
  const types = [
    "Café",
    "Bookshop",
    "Tattoo Parlour",
    "Yoga Studio",
    "Counseling Collective",
    "Bike Repair",
  ];
  const rows = Array.from({ length: ROWS_OF_A_FULL_TABLE + 10 }, (_, index) => ({
    // Added by an admin, since others can add 100 a day.
    owner: newcomer.userId,
    name: `${["Lavender", "Copper", "Juniper", "Marigold", "Quiet"][index % 5]} ${["Fox", "Harbor", "Lantern"][index % 3]} ${types[index % 6]} ${index}`,
    category: 1,
    description: "A place for everyone.",
    address: `${index} Main Street`,
    rawaddress: `${index} Main Street`,
    city: places[index % 5],
    state: "MN",
    third_party_auth: true,
    certified_queer: true,
  }));
  await admin("places", rows);
  await admin(
    "places",
    rows.map((row) => ({ ...row, name: `Edited ${row.name}` })),
  );
  await admin("places?name=like.Edited*", { status: "published" }, "PATCH");
  const edits = [
    { phone: "+1 505-555-0199" },
    { phone: "+1 505-555-0199", url: "https://edited.example" },
    { description: "Another place." },
  ];
  for (const [index, edit] of edits.entries())
    await newcomer(`places?name=like.Edited*${index}`, edit, "PATCH");
  await newcomer(
    "places?name=like.Edited*&status=eq.published",
    { description: "Another place.", instagram: "https://www.instagram.com/edited" },
    "PATCH",
  );
}

/** Creates a decision batch of the first listings in the review queue. Returns its id. */
export async function createDecisionBatch(app: RunningApp): Promise<string> {
  const admin = await dataApi(app, "admin@demo.test");
  const batch = crypto.randomUUID();
  await admin("rpc/create_decision_batch", { batch, filter: { view: "new" } });
  return batch;
}

/** Adds more jobs than a page shows, with realistic titles. */
export async function fillJobs(app: RunningApp) {
  const newcomer = await dataApi(app, "newcomer@demo.test");
  const rows = Array.from({ length: 60 }, (_, index) => ({
    title: `${["Senior", "Part-time", "Weekend"][index % 3]} ${["pastry chef", "bookseller", "peer counselor", "line cook"][index % 4]} ${index}`,
    category: 85,
    description: "Work with us.",
    location: ["Oregon"],
    company_name: "Copper Harbor Yoga Studio",
    company_bio: "A studio for everyone.",
  }));
  await newcomer("jobs", rows);
}
