/** A UUID in either case, for use inside a larger pattern. */
export const UUID_PATTERN = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

const UUID = new RegExp(`^${UUID_PATTERN}$`);

/** Whether a value is a UUID, in either case. */
export function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

/** A UUID in lower case, or null for anything else. */
export function parseUuid(value: unknown): string | null {
  return isUuid(value) ? value.toLowerCase() : null;
}
