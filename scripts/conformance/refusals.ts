import type { Run } from "./run";

const LISTING = {
  name: "Conformance",
  category: 1,
  description: "A check.",
  rawaddress: "1 Main Street",
  address: "1 Main Street",
  third_party_auth: true,
  certified_queer: true,
};
const JOB = {
  title: "Conformance",
  category: 85,
  description: "A check.",
  location: ["Oregon"],
  company_name: "Conformance",
  company_bio: "A check.",
};
const NOT_MINE = -1;

/** What is sent to a table or a function, and the code with which our SQL refuses it. */
const REFUSED: readonly (readonly [path: string, code: string, body: Record<string, unknown>])[] = [
  ["places", "description_missing", { ...LISTING, description: " " }],
  ["places", "address_missing", { ...LISTING, rawaddress: "", address: "" }],
  ["places", "listing_consent_missing", { ...LISTING, third_party_auth: false }],
  ["places", "certification_missing", { ...LISTING, certified_queer: false }],
  ["places", "licensed_locations_missing", { ...LISTING, category: 2 }],
  ["places", "community_group_not_serving", { ...LISTING, category: 14 }],
  ["places", "category_unknown", { ...LISTING, category: 40 }],
  ["places", "online_category_unknown", { ...LISTING, online_categories: [1] }],
  ["places", "licensed_location_unknown", { ...LISTING, licensed_locations: [""] }],
  ["jobs", "job_category_unknown", { ...JOB, category: 1 }],
  ["jobs", "job_location_unknown", { ...JOB, location: [""] }],
  ["jobs", "job_place_not_yours", { ...JOB, place_id: NOT_MINE }],
  ["rpc/set_my_position", "position_invalid", { lat: 91, long: 0 }],
  [
    "rpc/set_tracking_consent",
    "tracking_answer_missing",
    { granted: null, text_version: "none", page: "/conformance" },
  ],
];

/**
 * The codes with which our SQL refuses what a user without any data can send: the app has a sentence for each, and finds it
 * by the code that the data API passes on. Nothing is stored. The other codes need a listing in some state, a payment, a
 * date, or an admin, which no suite may make in a project that others use; the database tests provoke those.
 */
export async function refusals(run: Run): Promise<void> {
  const { tokens } = await run.accounts.create();
  for (const [path, code, body] of REFUSED)
    await run.answer(
      `${path} with ${code}`,
      `400 P0001 ${code}`,
      run.wire.data("POST", path, { body, token: tokens.accessToken }),
    );
}
