import { z } from "zod";

import {
  alwaysCheck,
  selectedId,
  optionalText,
  requiredText,
  formVersion,
  submissionToken,
  checkbox,
} from "~/http/form-fields.server";

import {
  BONUS_QUESTIONS,
  LISTING_LIMITS as MOST,
  SOCIAL_NETWORKS,
  type SocialNetwork,
} from "./fields";
import { LICENSED_LOCATIONS } from "./licensed-locations.server";
import {
  ADDRESS_RULE,
  COMMUNITY_GROUP,
  COMMUNITY_RULE,
  MAILING_ADDRESS_RULE,
  THERAPIST,
  WEBSITE_RULE,
} from "./rules";
import { socialLink, webLink } from "./social-links";

const mustTick = (missing: string) =>
  z.boolean({ error: missing }).refine((ticked) => ticked, missing);

const link = (most: number, message: string) =>
  optionalText(most).refine((typed) => typed === null || webLink(typed) !== null, message);

/** A link that was completed is longer than what was typed. */
const fits = (link: string | null) => link !== null && link.length <= MOST.social;

const social = (network: SocialNetwork) =>
  optionalText(MOST.social)
    .refine(
      (typed) => typed === null || fits(socialLink(network, typed)),
      "Enter a name like @yourname, or the full link.",
    )
    .transform((typed) => (typed === null ? null : socialLink(network, typed)));

const ofEach = <Name extends string, S extends z.ZodType>(
  names: readonly Name[],
  schema: (name: Name) => S,
) => Object.fromEntries(names.map((name) => [name, schema(name)])) as Record<Name, S>;

const categoryId = selectedId("Choose a category.");

/** A number as people write it, with an extension or without: 2 to 17 digits in its country, and up to 3 for the country. */
const PHONE = /^[+(\d][\d\s().\-/x#,;ext]*$/i;
const isPhone = (typed: string) =>
  PHONE.test(typed) && /^.{2,20}$/.test(typed.replace(/(x|ext|#|,|;).*$/i, "").replace(/\D/g, ""));

const fields = {
  name: requiredText(MOST.name, "Enter the name of your business."),
  category: categoryId,
  online_categories: z.array(categoryId).max(50, "Choose fewer.").default([]),
  description: requiredText(MOST.description, "Tell people about your business."),
  rawaddress: requiredText(MOST.rawaddress, ADDRESS_RULE),
  mailingaddress: requiredText(MOST.mailingaddress, MAILING_ADDRESS_RULE),
  public_email: optionalText(MOST.public_email).refine(
    (typed) => typed === null || z.email().safeParse(typed).success,
    "Enter an e-mail address like name@example.com.",
  ),
  phone: optionalText(MOST.phone).refine(
    (typed) => typed === null || isPhone(typed),
    "Enter a phone number, like (201) 555-0123.",
  ),
  url: link(MOST.url, WEBSITE_RULE),
  ...ofEach(SOCIAL_NETWORKS, social),
  linkedin: link(MOST.linkedin, "Enter the full link, beginning with https://."),
  ...ofEach(BONUS_QUESTIONS, () => checkbox),
  queer_programming: checkbox,
  mission_statement: checkbox,
  third_party_auth: mustTick("Please agree that your listing is shown publicly."),
  certified_queer: mustTick(
    "Please certify that the business or organization is queer-owned or queer-serving.",
  ),
  submission_id: submissionToken,
  version: formVersion,
};

/**
 * What the listing form may send. Anything else in it is not read: not its status, not its owner, and
 * no position (that comes from the address chosen, which the server sealed).
 */
export const listingSchema = listingSchemaOver({ licensed_locations: [] });

/** The same over a saved listing: a place of licence that it has from before may stay, though it is not on our list. */
export function listingSchemaOver({
  licensed_locations: before,
}: {
  licensed_locations: readonly string[];
}) {
  const place = z
    .string()
    .refine(
      (name) => LICENSED_LOCATIONS.has(name) || before.includes(name),
      "Choose places from the list.",
    );
  return z
    .object({ ...fields, licensed_locations: z.array(place).max(400, "Choose fewer.").default([]) })
    .refine(
      ({ category, licensed_locations }) =>
        category !== THERAPIST || licensed_locations?.length > 0,
      {
        path: ["licensed_locations"],
        message: "Choose where you are licensed.",
        ...alwaysCheck,
      },
    )
    .refine(
      ({ category, queer_programming, mission_statement }) =>
        category !== COMMUNITY_GROUP || (queer_programming && mission_statement),
      {
        path: ["queer_programming"],
        message: COMMUNITY_RULE,
        ...alwaysCheck,
      },
    );
}

export type ListingForm = z.input<typeof listingSchema>;
export type ListingValues = z.output<typeof listingSchema>;
