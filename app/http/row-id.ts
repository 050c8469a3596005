/** An id from an address or a form: a positive whole number the database can hold, or null. */
export function parseRowId(text: string | null | undefined): number | null {
  return text && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;
}
