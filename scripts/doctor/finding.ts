/** What a check found: one line of the report. */
export type Finding =
  | { state: "fine"; what: string }
  /** What is wrong, what it means for users, and the command or page that fixes it. */
  | { state: "wrong"; what: string; effect: string; fix: string }
  /** What can't be asked with our keys, and where to see it. */
  | { state: "by hand"; what: string; where: string };

export const fine = (what: string): Finding => ({ state: "fine", what });
export const wrong = (what: string, effect: string, fix: string): Finding => ({
  state: "wrong",
  what,
  effect,
  fix,
});
export const byHand = (what: string, where: string): Finding => ({ state: "by hand", what, where });
