import { z } from "zod/v4";

import { LICENSED_LOCATIONS } from "./licensed-locations";
import { COMMUNITY_GROUP, THERAPIST } from "./rules";

const text = (max: number, missing: string) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? missing : "Enter this once.") })
    .trim()
    .min(1, missing)
    .max(max, `Use at most ${max.toLocaleString("en")} characters.`);

/** Text that may be left out; spaces alone are nothing, too. */
const optional = (max: number) => {
  const given = z.string({ error: "Enter this once." }).trim().max(max, `Use at most ${max.toLocaleString("en")} characters.`);
  return given.optional().transform((value) => value || null);
};

const isId = (value: number) => Number.isInteger(value) && value >= 1 && value <= 1e9;

const tick = z.boolean({ error: "Tick the box or leave it empty." }).default(false);
const mustTick = (missing: string) => z.boolean({ error: missing }).refine((ticked) => ticked, missing);

const COMMUNITY_RULE =
  "At this time we are only allowing organizations that serve queer or trans people and include this in their mission statement, we appreciate you applying!";

/** Rules over several fields are told together with those of single fields, not only after them. */
const always = { when: () => true };

/** What the listing form may send. Anything else in it is not read. */
export const listingSchema = z
  .object({
    name: text(200, "Enter the name of your business."),
    category: z.coerce.number({ error: "Choose a category." }).refine(isId, "Choose a category."),
    licensed_locations: z.array(z.enum(LICENSED_LOCATIONS as [string, ...string[]], { error: "Choose places from the list." })).default([]),
    queer_programming: tick,
    mission_statement: tick,
    description: text(5_000, "Tell people about your business."),
    rawaddress: text(300, "Enter the street address."),
    city: text(120, "Enter the city."),
    state: text(120, "Enter the state or province."),
    postalcode: optional(20),
    country: optional(120),
    third_party_auth: mustTick("Please agree that your listing is shown publicly."),
    certified_queer: mustTick("Please certify that the business or organization is queer-owned or queer-serving."),
    submission_id: z.uuid().optional().catch(undefined),
    version: z.coerce.number().int().min(1).max(1e9).optional().catch(undefined),
  })
  .refine(({ category, licensed_locations }) => category !== THERAPIST || licensed_locations?.length > 0, {
    path: ["licensed_locations"],
    message: "Choose where you are licensed.",
    ...always,
  })
  .refine(({ category, queer_programming, mission_statement }) => category !== COMMUNITY_GROUP || (queer_programming && mission_statement), {
    path: ["queer_programming"],
    message: COMMUNITY_RULE,
    ...always,
  });

export type ListingForm = z.input<typeof listingSchema>;
export type ListingValues = z.output<typeof listingSchema>;
