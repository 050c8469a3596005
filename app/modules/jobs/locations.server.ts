import type { PackedCheckboxGroup } from "~/components/forms/packed-checkboxes";
import {
  LICENSED_LOCATIONS,
  PACKED_LOCATION_GROUPS,
} from "~/modules/listings/licensed-locations.server";

const ANYWHERE = "Anywhere";

/** Where a job can be, in groups as the form shows them: the places of licence, and all of them. */
export const JOB_LOCATION_GROUPS: readonly PackedCheckboxGroup[] = [
  { name: "Everywhere", places: ANYWHERE },
  ...PACKED_LOCATION_GROUPS,
];

export const isJobLocation = (place: string) => place === ANYWHERE || LICENSED_LOCATIONS.has(place);
