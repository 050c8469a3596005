import type { FieldValue } from "~/components/forms/form-state";

/** A group of boxes as a page carries it: the words of all in one text, which weighs little beside the boxes. */
export interface PackedCheckboxGroup {
  name: string;
  /** Parted by "|". */
  places: string;
}

/** The boxes in their groups; what is ticked and stands in none, since the list was another once, in one of its own. */
export function unpackCheckboxGroups(
  groups: readonly PackedCheckboxGroup[],
  ticked: FieldValue | undefined,
) {
  const known = groups.map(({ name, places }) => ({ name, options: places.split("|") }));
  const others = [ticked ?? []]
    .flat()
    .filter((place) => !known.some(({ options }) => options.includes(place)));
  return others.length > 0 ? [{ name: "Named before", options: others }, ...known] : known;
}
