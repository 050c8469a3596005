import { dictionary } from "@zxcvbn-ts/language-common";

const MIN_CHARACTERS = 8;
/** bcrypt ignores everything after 72 bytes, so a longer password would be weaker than it seems. */
const MAX_BYTES = 72;

const COMMON = new Set(
  dictionary["passwords-common"]?.filter((word) => word.length >= MIN_CHARACTERS),
);

/**
 * The error of a password, or null when it is valid. Only its length and how common it is count, as
 * NIST SP 800-63B advises: there are no rules about kinds of characters.
 */
export function validatePassword(password: string): string | null {
  if ([...password].length < MIN_CHARACTERS) return "Use at least 8 characters for your password.";
  if (Buffer.byteLength(password) > MAX_BYTES)
    return "Use at most 72 characters for your password.";
  if (COMMON.has(password.toLowerCase()))
    return "That password is one of the most used, and so one of the first that is tried. Please choose another.";
  return null;
}
