import { fileURLToPath } from "node:url";

import { addListings, createAccount, dataApi, demo, PASSWORD } from "../e2e/data-api";
import { HOSTED_SETTINGS } from "../support/hosted-settings";
import { startApp, startAppOver } from "../support/running-app";

/** A Tuesday, in the morning in Los Angeles. */
export const FIXED_TIME = "2026-06-16T17:00:00.000Z";

/** An account whose names are as long as they may be, and that is about to be deleted. */
const LONG = "long-names@example.test";
const LONG_NAME =
  "Persephone-Alexandrina Featherstonehaugh-Cholmondeley-Majoribanks of Llanfairpwllgwyngyll, Schwarzwald";
const LONG_LISTINGS = [
  "The Very Long Named Cooperative Bakery, Bookshop, Repair Café, and Community Garden of Saint-Rémy-de-Provence",
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
];

/** Jobs that it typed and didn't submit, by the ids of their forms. */
const LONG_JOBS = {
  "00000000-0000-4000-8000-000000000001":
    "Senior Vegetable Fermentation Specialist and Night Shift Sourdough Coordinator (all genders)",
  "00000000-0000-4000-8000-000000000002": "Baker",
};

export type Visitor = keyof typeof ACCOUNTS;
const ACCOUNTS = {
  owner: demo.owner,
  newcomer: demo.newcomer,
  admin: demo.admin,
  long: LONG,
} as const;

/**
 * Runs once before all: the built product with its demo data and without a database server, at a fixed
 * time; and a second one, whose Supabase does not answer.
 */
export default async function startBeforeAll() {
  const clock = fileURLToPath(new URL("./fixed-clock.mjs", import.meta.url));
  const { SESSION_SECRET } = HOSTED_SETTINGS;
  const settings = { FIXED_TIME, NODE_OPTIONS: `--import=${clock}`, SESSION_SECRET };
  const app = await startApp({ ...settings, LITE_AUTH_BCRYPT_COST: "4" });
  const failing = await startAppOver({ ...HOSTED_SETTINGS, ...settings });
  process.env["VISUAL_FAILING_URL"] = failing.url;
  process.env["E2E_APP_URL"] = app.url;
  process.env["E2E_SUPABASE_URL"] = app.supabaseUrl;
  process.env["E2E_PUBLISHABLE_KEY"] = app.publishableKey;
  process.env["E2E_SECRET_KEY"] = app.secretKey;

  // Everything that is stored is stored before the first picture, in this order.
  await createAccount(LONG_NAME, { email: LONG });
  await addListings(LONG, LONG_LISTINGS);
  const long = await dataApi(LONG);
  for (const [submission_id, title] of Object.entries(LONG_JOBS))
    await long.post("listing_drafts", {
      form: `/jobs/new?draft=${submission_id}`,
      fields: { submission_id, title },
    });
  await long.post("rpc/request_my_deletion");
  const sessions: Partial<Record<Visitor, string>> = {};
  for (const [visitor, email] of Object.entries(ACCOUNTS))
    sessions[visitor as Visitor] = await signIn(app.url, email);
  process.env["VISUAL_SESSIONS"] = JSON.stringify(sessions);

  return async () => {
    await Promise.all([app.stop(), failing.stop()]);
  };
}

/** @returns the cookies of a session, as a `Cookie` header */
async function signIn(url: string, email: string): Promise<string> {
  const response = await fetch(`${url}/login`, {
    method: "POST",
    headers: { Origin: url },
    body: new URLSearchParams({ email, password: PASSWORD }),
    redirect: "manual",
  });
  if (response.status !== 303) throw new Error(`Signing in as ${email}: ${response.status}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0]!)
    .join("; ");
}
