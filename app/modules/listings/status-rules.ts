import { getStatusLabel } from "./rules";

/** The status of a listing for admins, and whether it is hidden: only both say who can see it. */
export function describeStatus(status: string, hidden: boolean): string {
  const label = getStatusLabel(status);
  return hidden ? `${label}, hidden` : label;
}
