import { invalid, type Parameter, text } from "./parameters";

/** The account's shortened descriptor. */
const PREFIX = "LOCAL";
const DESCRIPTOR = "LOCAL STAND-IN";
const SEPARATOR = "* ";
const MAX_LENGTH = 22;
/** A shortened descriptor may be this long, and what is sent has to fit whichever it is. */
const MAX_PREFIX_LENGTH = 10;
const MAX_SUFFIX_LENGTH = MAX_LENGTH - SEPARATOR.length - MAX_PREFIX_LENGTH;

/** What a card statement shows after the account's shortened descriptor. */
export const statementSuffix: Parameter<string> = {
  kind: "text",
  parse(raw, name) {
    const value = text().parse(raw, name);
    if (value.length > MAX_SUFFIX_LENGTH) {
      throw invalid(
        `The statement descriptor is at most ${MAX_LENGTH} characters long with its prefix, which may have ` +
          `${MAX_PREFIX_LENGTH}: that leaves ${MAX_SUFFIX_LENGTH} for the suffix.`,
        name,
      );
    }
    if (/[A-Za-z]/.test(value) && !/[<>\\'"*]/.test(value)) return value;
    throw invalid(
      "The statement descriptor suffix must contain at least one letter, and none of < > \\ ' \" *.",
      name,
    );
  },
};

/** What a card statement shows for a payment. */
export function statementDescriptor(suffix: string | null): string {
  return suffix === null ? DESCRIPTOR : `${PREFIX}${SEPARATOR}${suffix}`;
}
