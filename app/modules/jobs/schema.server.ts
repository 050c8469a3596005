import { z } from "zod";

import {
  alwaysCheck,
  selectedId,
  optionalLine,
  optionalText,
  requiredLine,
  requiredText,
  formVersion,
  submissionToken,
  checkbox,
} from "~/http/form-fields.server";
import { parseRowId } from "~/text/row-id";
import type { PackedCheckboxGroup } from "~/components/forms/packed-checkboxes";
import {
  LICENSED_LOCATIONS,
  PACKED_LOCATION_GROUPS,
} from "~/modules/listings/licensed-locations.server";
import { parseWebLink } from "~/text/web-link";

import { JOB_LIMITS } from "./fields";
import { NOT_LISTED } from "./rules";

const CHOOSE_PLACES = "Choose locations from the list.";
const CHOOSE_BUSINESS = "Choose your business, or “This business is not listed”.";
/** The database enforces the same limit. */
const MAX_LOCATIONS = 100;
const ANYWHERE = "Anywhere";

/** The locations that a job can have, in the groups of its form. */
export const JOB_LOCATION_GROUPS: readonly PackedCheckboxGroup[] = [
  { name: "Everywhere", places: ANYWHERE },
  ...PACKED_LOCATION_GROUPS,
];

const isJobLocation = (location: string) =>
  location === ANYWHERE || LICENSED_LOCATIONS.has(location);

/** The listing that a job is for; null for none, and for "This business is not listed". */
const placeId = z
  .string({ error: CHOOSE_BUSINESS })
  .optional()
  .refine(
    (chosen) => !chosen || chosen === NOT_LISTED || parseRowId(chosen) !== null,
    CHOOSE_BUSINESS,
  )
  .transform((chosen) => (chosen === NOT_LISTED ? null : parseRowId(chosen)));

/**
 * What the job form sends. Other fields are ignored, in particular whether it is paid or published.
 * @param savedLocations the job's saved locations, which are accepted even when the list lacks them
 */
export const jobSchema = (savedLocations: readonly string[] = []) =>
  z
    .object({
      title: requiredLine(JOB_LIMITS.title, "Enter the job title."),
      category: selectedId("Choose a category."),
      description: requiredText(JOB_LIMITS.description, "Describe the job."),
      full_time: checkbox,
      part_time: checkbox,
      contract: checkbox,
      pay_range: optionalLine(JOB_LIMITS.pay_range),
      url: optionalLine(JOB_LIMITS.url).refine(
        (typed) => typed === null || parseWebLink(typed) !== null,
        "Please be sure to include https:// in your link.",
      ),
      location: z
        .array(
          z
            .string({ error: CHOOSE_PLACES })
            .refine(
              (place) => isJobLocation(place) || savedLocations.includes(place),
              CHOOSE_PLACES,
            ),
        )
        .max(MAX_LOCATIONS, `Choose at most ${MAX_LOCATIONS} locations, or “Anywhere”.`)
        .default([]),
      city: optionalLine(JOB_LIMITS.city),
      remote: checkbox,
      place_id: placeId,
      company_name: optionalLine(JOB_LIMITS.company_name),
      company_bio: optionalText(JOB_LIMITS.company_bio),
      queer_owned: checkbox,
      ally_owned: checkbox,
      ally_safety: optionalText(JOB_LIMITS.ally_safety),
      submission_id: submissionToken,
      version: formVersion,
    })
    .refine(({ location }) => location?.length > 0, {
      path: ["location"],
      message: "Choose at least one location.",
      ...alwaysCheck,
    })
    .refine(({ place_id, company_name }) => place_id !== null || company_name, {
      path: ["company_name"],
      message: "Enter the name of the company, or choose a business above.",
      ...alwaysCheck,
    })
    .refine(({ place_id, company_bio }) => place_id !== null || company_bio, {
      path: ["company_bio"],
      message: "Tell people about the company.",
      ...alwaysCheck,
    })
    .refine(({ ally_owned, ally_safety }) => !ally_owned || ally_safety, {
      path: ["ally_safety"],
      message: "Describe how your company supports queer and trans people.",
      ...alwaysCheck,
    });

export type JobValues = z.output<ReturnType<typeof jobSchema>>;
