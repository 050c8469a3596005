/** The name of the control that says whose value of a field is to be saved, after two versions met. */
export const versionFieldName = (field: string) => `choose_${field}`;

/** What is said when somebody else saved in between. @param thing what was saved: "listing" */
export const versionConflictMessage = (thing: string) =>
  `Somebody saved this ${thing} while you had it open. Nothing of yours is lost: choose in the table “Where the two versions differ”, field by field, which version to keep, and save again.`;

/**
 * After two versions met: puts the saved value into each field where the person chose it over theirs.
 * @param saved what is saved now, by field, as the form would hold it
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
