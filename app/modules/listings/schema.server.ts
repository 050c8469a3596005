import { z } from "zod";

import {
  alwaysCheck,
  selectedId,
  optionalLine,
  requiredLine,
  requiredText,
  formVersion,
  submissionToken,
  checkbox,
} from "~/http/form-fields.server";
import { parseWebLink } from "~/text/web-link";

import {
  BONUS_QUESTIONS,
  LISTING_FIELDS,
  MAX_SOCIAL_LENGTH,
  SOCIAL_NETWORKS,
  type ListingField,
  type SocialNetwork,
  type TextField,
} from "./fields";
import { LICENSED_LOCATIONS } from "./licensed-locations.server";
import { LISTING_REFUSALS } from "./refusals";
import {
  ADDRESS_REQUIRED,
  COMMUNITY_GROUP,
  COMMUNITY_GROUP_REQUIREMENTS,
  MAILING_ADDRESS_REQUIRED,
  THERAPIST,
  WEBSITE_INVALID,
} from "./rules";
import { parseSocialLink } from "./social-links";

const required = (name: TextField, missing: string) =>
  requiredLine(LISTING_FIELDS[name].maxLength, missing);
const optional = (name: TextField, isValid: (typed: string) => boolean, message: string) =>
  optionalLine(LISTING_FIELDS[name].maxLength).refine(
    (typed) => typed === null || isValid(typed),
    message,
  );

const mustTick = (missing: string) =>
  z.boolean({ error: missing }).refine((ticked) => ticked, missing);

const isWebLink = (typed: string) => parseWebLink(typed) !== null;
/** Whether a text is an email address that a listing can have. */
export const isListingEmail = (typed: string) =>
  typed.length <= LISTING_FIELDS.public_email.maxLength && z.email().safeParse(typed).success;
/** Digits and separators, with or without an extension. 20 digits: 17 and a country code of 3. */
const PHONE = /^[+(\d][\d\s().\-/x#,;ext]*$/i;
const isPhone = (typed: string) =>
  PHONE.test(typed) && /^.{2,20}$/.test(typed.replace(/(x|ext|#|,|;).*$/i, "").replace(/\D/g, ""));

const socialLink = (network: SocialNetwork) =>
  optionalLine(MAX_SOCIAL_LENGTH)
    .transform((typed) => ({ typed, link: typed && parseSocialLink(network, typed) }))
    // The link of a name is longer than the name.
    .refine(
      ({ typed, link }) => typed === null || (link !== null && link.length <= MAX_SOCIAL_LENGTH),
      "Enter a username like @yourname, or the full link.",
    )
    .transform(({ link }) => link);

/** The same kind of schema for each of some fields. */
const schemaForEach = <Name extends ListingField, Schema extends z.ZodType>(
  names: readonly Name[],
  schema: (name: Name) => Schema,
) => Object.fromEntries(names.map((name) => [name, schema(name)])) as Record<Name, Schema>;

const categoryId = selectedId("Choose a category.");

/**
 * The fields that a listing's form may send. Everything else in the form is ignored: its status, its
 * owner, and any position, which comes only from the sealed address that was picked.
 * @param saved the listing that is edited; locations that it has may stay after they left the list
 */
export function listingSchemaFor(saved: { licensed_locations: readonly string[] }) {
  const location = z
    .string()
    .refine(
      (name) => LICENSED_LOCATIONS.has(name) || saved.licensed_locations.includes(name),
      "Choose places from the list.",
    );
  return z
    .object({
      name: required("name", "Enter the name of your business."),
      category: categoryId,
      online_categories: z.array(categoryId).max(50, "Choose fewer categories.").default([]),
      licensed_locations: z.array(location).max(400, "Choose fewer places.").default([]),
      description: requiredText(
        LISTING_FIELDS.description.maxLength,
        "Tell people about your business.",
      ),
      rawaddress: required("rawaddress", ADDRESS_REQUIRED),
      mailingaddress: required("mailingaddress", MAILING_ADDRESS_REQUIRED),
      public_email: optional(
        "public_email",
        isListingEmail,
        "Enter an email address like name@example.com.",
      ),
      phone: optional("phone", isPhone, "Enter a phone number, like (201) 555-0123."),
      url: optional("url", isWebLink, WEBSITE_INVALID),
      ...schemaForEach(SOCIAL_NETWORKS, socialLink),
      linkedin: optional("linkedin", isWebLink, "Enter the full link, beginning with https://."),
      ...schemaForEach(BONUS_QUESTIONS, () => checkbox),
      queer_programming: checkbox,
      mission_statement: checkbox,
      third_party_auth: mustTick(LISTING_REFUSALS.listing_consent_missing),
      certified_queer: mustTick(LISTING_REFUSALS.certification_missing),
      submission_id: submissionToken,
      version: formVersion,
    } satisfies Record<ListingField | "submission_id" | "version", z.ZodType>)
    .refine(
      ({ category, licensed_locations }) =>
        category !== THERAPIST || licensed_locations?.length > 0,
      {
        path: ["licensed_locations"],
        message: LISTING_REFUSALS.licensed_locations_missing,
        ...alwaysCheck,
      },
    )
    .refine(
      ({ category, queer_programming, mission_statement }) =>
        category !== COMMUNITY_GROUP || (queer_programming && mission_statement),
      {
        path: ["queer_programming"],
        message: COMMUNITY_GROUP_REQUIREMENTS,
        ...alwaysCheck,
      },
    );
}

/** The schema of a new listing's form. */
export const listingSchema = listingSchemaFor({ licensed_locations: [] });

export type ListingValues = z.output<typeof listingSchema>;
