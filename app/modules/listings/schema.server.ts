import { z } from "zod/v4";

import { BONUS_QUESTIONS, SOCIAL_NETWORKS, type SocialNetwork } from "./fields";
import { LICENSED_LOCATIONS } from "./licensed-locations";
import { COMMUNITY_GROUP, THERAPIST } from "./rules";
import { socialLink, webLink } from "./social-links";

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

/** The exact words of the product's rules. */
const COMMUNITY_RULE =
  "At this time we are only allowing organizations that serve queer or trans people and include this in their mission statement, we appreciate you applying!";
const WEBSITE_RULE = "Please be sure to include https:// in your website URL.";

const link = (message: string) => optional(2_000).refine((typed) => typed === null || webLink(typed) !== null, message);

const social = (network: SocialNetwork) =>
  optional(300)
    .refine((typed) => typed === null || socialLink(network, typed) !== null, "Enter a name like @yourname, or the full link.")
    .transform((typed) => (typed === null ? null : socialLink(network, typed)));

const ofEach = <Name extends string, S extends z.ZodType>(names: readonly Name[], schema: (name: Name) => S) =>
  Object.fromEntries(names.map((name) => [name, schema(name)])) as Record<Name, S>;

const categoryId = z.coerce.number({ error: "Choose a category." }).refine(isId, "Choose a category.");

/** Rules over several fields are told together with those of single fields, not only after them. */
const always = { when: () => true };

/**
 * What the listing form may send. Anything else in it is not read: not its status, not its owner, and
 * no position (that comes from the address chosen, which the server sealed).
 */
export const listingSchema = z
  .object({
    name: text(200, "Enter the name of your business."),
    category: categoryId,
    online_categories: z.array(categoryId).max(50, "Choose fewer.").default([]),
    licensed_locations: z
      .array(z.enum(LICENSED_LOCATIONS as [string, ...string[]], { error: "Choose places from the list." }))
      .default([]),
    description: text(5_000, "Tell people about your business."),
    rawaddress: text(300, "Enter the address."),
    mailingaddress: text(300, "Please be sure to select a valid mailing address."),
    public_email: optional(254).refine((typed) => typed === null || z.email().safeParse(typed).success, "Enter an e-mail address like name@example.com."),
    phone: optional(40).refine((typed) => typed === null || /^[+\d][\d\s().\-/x#,;ext]{4,}$/i.test(typed), "Enter a phone number, like (201) 555-0123."),
    url: link(WEBSITE_RULE),
    ...ofEach(SOCIAL_NETWORKS, social),
    linkedin: link("Enter the full link, beginning with https://."),
    ...ofEach(BONUS_QUESTIONS, () => tick),
    queer_programming: tick,
    mission_statement: tick,
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
