import { dictionary } from "@zxcvbn-ts/language-common";

const MIN_CHARACTERS = 8;
/** bcrypt ignores everything after 72 bytes, so a longer password would be weaker than it seems. */
const MAX_BYTES = 72;

const COMMON = new Set(
  dictionary["passwords-common"]?.filter((word) => word.length >= MIN_CHARACTERS),
);

/** Whose password it is: what anyone who knows them would try first. */
export interface PasswordOwner {
  email: string;
  name: string;
}

/**
 * The error of a password, or null when it is valid. It must be long enough and must not be one of
 * the first that are guessed, as NIST SP 800-63B advises: there are no rules about kinds of
 * characters. Every form of the dashboard that sets a password asks this function.
 */
export function validatePassword(password: string, owner?: PasswordOwner): string | null {
  // This check comes first: the time to split a text into characters grows with the square of its
  // length.
  if (Buffer.byteLength(password) > MAX_BYTES)
    return "Use at most 72 characters for your password.";
  if ([...password].length < MIN_CHARACTERS) return "Use at least 8 characters for your password.";
  if (password.trim() === "")
    return "A password made of spaces is too easy to guess. Please choose another.";
  const characters = splitCharacters(password);
  if (COMMON.has(password.toLowerCase()))
    return "That password is too common and easy to guess. Please choose another.";
  if (new Set(characters.filter((one) => one.trim() !== "")).size === 1)
    return "That password repeats one character, so it’s too easy to guess. Please choose another.";
  if (isSequence(characters))
    return "That password is made of sequences like “abcd” or “1234”, so it’s too easy to guess. Please choose another.";
  if (owner && isMadeOf(password, owner))
    return "That password is made from your email address or name, so it’s too easy to guess. Please choose another.";
  return null;
}

/** The characters as people see them, in lower case: a flag is one, although it has many parts. */
function splitCharacters(text: string): string[] {
  const segments = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(
    text.toLowerCase(),
  );
  return [...segments].map(({ segment }) => segment);
}

const KEYBOARD_ROWS = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];
const MIN_RUN = 3;

/** The step from one character to the next: 1 and -1 are neighbors, 0 is the same one. */
function findSteps(from: string, to: string): number[] {
  const steps = KEYBOARD_ROWS.filter((row) => row.includes(from) && row.includes(to)).map(
    (row) => row.indexOf(to) - row.indexOf(from),
  );
  if (/^[\p{L}\p{N}]$/u.test(from) && /^[\p{L}\p{N}]$/u.test(to))
    steps.push(to.codePointAt(0)! - from.codePointAt(0)!);
  if (from === to) steps.push(0);
  return steps.filter((step) => Math.abs(step) <= 1);
}

/** Whether it is nothing but runs of neighbors or of one character, such as abcd1234 or 111222333. */
function isSequence(characters: string[]): boolean {
  let start = 0;
  while (start < characters.length) {
    const length = measureRun(characters, start);
    if (length < MIN_RUN) return false;
    start += length;
  }
  return true;
}

/** The length of the longest run that begins at a place. */
function measureRun(characters: string[], start: number): number {
  const next = characters[start + 1];
  if (next === undefined) return 1;
  const lengths = findSteps(characters[start]!, next).map((step) => {
    let end = start + 1;
    while (
      end < characters.length &&
      findSteps(characters[end - 1]!, characters[end]!).includes(step)
    )
      end += 1;
    return end - start;
  });
  return Math.max(1, ...lengths);
}

/** Parts of a name that are shorter than this appear in too many good passwords. */
const MIN_PART = 4;
/** More than any address or name has. (Characters with thousands of accents take long to normalize.) */
const MAX_OWNER = 320;
/** What a password must have besides its owner's address or name. */
const MIN_REST = 4;

const squash = (text: string) =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

/** Whether it is the owner's address or name, with little added to it. */
function isMadeOf(password: string, owner: PasswordOwner): boolean {
  const email = owner.email.slice(0, MAX_OWNER);
  const name = owner.name.slice(0, MAX_OWNER);
  const squashed = squash(password);
  const [local = ""] = email.split("@");
  const words = [email, local, name, ...local.split(/[^\p{L}\p{N}]+/u), ...name.split(/\s+/)];
  const parts = words.map(squash).filter((part) => part.length >= MIN_PART);
  return parts.some(
    (part) => squashed.includes(part) && squashed.replaceAll(part, "").length < MIN_REST,
  );
}
