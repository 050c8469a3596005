import { dictionary } from "@zxcvbn-ts/language-common";

/** bcrypt reads no further than 72 bytes, so a longer password would not be what it seems. */
const PASSWORD_MIN_CHARACTERS = 8;
const PASSWORD_MAX_BYTES = 72;

const COMMON = new Set(
  dictionary["passwords-common"]?.filter((word) => word.length >= PASSWORD_MIN_CHARACTERS),
);

/**
 * Why a password cannot be taken, in words, or null when it can.
 * Length and commonness alone decide, as NIST SP 800-63B advises: no rules on kinds of characters.
 */
export function validatePassword(password: string): string | null {
  if ([...password].length < PASSWORD_MIN_CHARACTERS)
    return "Use at least 8 characters for your password.";
  if (Buffer.byteLength(password) > PASSWORD_MAX_BYTES)
    return "Use at most 72 characters for your password.";
  if (COMMON.has(password.toLowerCase()))
    return "That password is one of the most used, and so one of the first that is tried. Please choose another.";
  return null;
}
