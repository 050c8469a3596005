import type { FieldValue } from "~/components/forms/form-state";

/** A group of checkboxes as loader data: all labels in one text, which keeps the page small. */
export interface PackedCheckboxGroup {
  name: string;
  /** Separated by "|". */
  places: string;
}

/**
 * The checkboxes in their groups. Checked values that are no longer in the list get their own
 * group.
 */
export function unpackCheckboxGroups(
  groups: readonly PackedCheckboxGroup[],
  checked: FieldValue | undefined,
) {
  const known = groups.map(({ name, places }) => ({ name, options: places.split("|") }));
  const others = [checked ?? []]
    .flat()
    .filter((place) => !known.some(({ options }) => options.includes(place)));
  return others.length > 0 ? [{ name: "Previously selected", options: others }, ...known] : known;
}
