import { invalid, type Parameter } from "./parameters";

const MAX_KEYS = 50;
const MAX_KEY_LENGTH = 40;
const MAX_VALUE_LENGTH = 500;

type Metadata = Record<string, string>;

/** The metadata of an object. An empty text unsets a key, or in its place all of them: null. */
export const metadata: Parameter<Metadata | null> = {
  parse(raw, name) {
    if (raw === "") return null;
    if (typeof raw !== "object" || Array.isArray(raw))
      throw invalid("Invalid hash", name, "parameter_invalid_type");
    const pairs = Object.entries(raw);
    if (pairs.length > MAX_KEYS)
      throw invalid(`You cannot have more than ${MAX_KEYS} metadata keys.`, name);
    for (const [key, value] of pairs) {
      const at = `${name}[${key}]`;
      if (typeof value !== "string") throw invalid("Metadata values must be strings.", at);
      if (key.length > MAX_KEY_LENGTH) {
        throw invalid(
          `Metadata keys can have up to ${MAX_KEY_LENGTH} characters; '${key}' has ${key.length}.`,
          at,
        );
      }
      if (value.length > MAX_VALUE_LENGTH) {
        throw invalid(
          `Metadata values can have up to ${MAX_VALUE_LENGTH} characters, but you passed in a value that is ${value.length} ` +
            `characters. Invalid value: ${value.slice(0, 20)}…`,
          at,
        );
      }
    }
    return raw as Metadata;
  },
};

/** The metadata of an object after a request: keys that it does not name stay. */
export function changeMetadata(old: Metadata | null, given: Metadata | null | undefined): Metadata {
  if (given === undefined) return old ?? {};
  if (given === null) return {};
  const changed = Object.fromEntries(
    Object.entries({ ...old, ...given }).filter(([, value]) => value !== ""),
  );
  if (Object.keys(changed).length > MAX_KEYS)
    throw invalid(`You cannot have more than ${MAX_KEYS} metadata keys.`, "metadata");
  return changed;
}

/** The metadata of a new object. */
export function newMetadata(given: Metadata | null | undefined): Metadata {
  return changeMetadata({}, given ?? {});
}
