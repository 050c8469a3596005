/**
 * Whether a row has exactly these values. A form that is sent again after its response was lost finds its own values
 * saved under a newer version: that is no conflict.
 */
export function hasValues(
  row: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(values).every(
    ([column, value]) => JSON.stringify(row[column]) === JSON.stringify(value),
  );
}
