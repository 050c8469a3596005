/** The name of the control that selects which version of a field to save, after a conflict. */
export const versionFieldName = (field: string) => `choose_${field}`;

/**
 * The error when a newer version was saved in the meantime, by someone else or in another tab.
 * @param thing what was saved: "listing"
 */
export const versionConflictMessage = (thing: string) =>
  `This ${thing} was saved in another tab or by someone else while you were editing. Nothing’s lost: choose which version of each field to keep, then save again.`;

/** The version of what a form for something new has made, until someone changes it. */
export const FIRST_VERSION = 1;

/**
 * The error when such a form was sent again, but what it had made was changed since. @param thing
 * "listing"
 */
export const newerVersionMessage = (thing: string) =>
  `You’ve already submitted this ${thing}, and there’s a newer version of it now. What you typed isn’t saved yet, but nothing’s lost. Compare the two versions, and choose which version of each field to keep.`;

/** A field in which a form differs from a newer save, with both values as text. */
export interface VersionDifference {
  name: string;
  label: string;
  theirs: string;
  yours: string;
}

/**
 * The fields in which a form differs from a newer save.
 * @param saved the current values, as the form would have them
 * @param submitted the submitted values
 * @param formatValue formats a value of a field
 */
export function compareVersions<Name extends string>(
  fields: readonly { name: Name; label: string }[],
  saved: Readonly<Record<Name, unknown>>,
  submitted: Readonly<Record<string, unknown>>,
  formatValue: (name: Name, value: unknown) => string,
): VersionDifference[] {
  return fields
    .map(({ name, label }) => ({
      name,
      label,
      theirs: formatValue(name, saved[name]),
      yours: formatValue(name, submitted[name]),
    }))
    .filter(({ theirs, yours }) => theirs !== yours);
}

/**
 * After a conflict: changes each field of the form for which the user selected the saved version.
 * @param saved the current values by field, as the form would have them
 */
export function applySelectedVersions(
  form: FormData,
  saved: Readonly<Record<string, string | readonly string[]>>,
): void {
  for (const [field, values] of Object.entries(saved)) {
    if (form.get(versionFieldName(field)) !== "saved") continue;
    form.delete(field);
    for (const value of [values].flat()) if (value !== "") form.append(field, value);
  }
}
