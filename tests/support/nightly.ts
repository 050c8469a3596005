/**
 * What a run of the tests leaves to the night. `npm test` has to be done before someone loses their
 * thread, so where many cases take the same way through the product it tries some of them, each time the
 * same; `npm run test:nightly` tries all. What the product does for its users is tried in each run; the doctor, the
 * stand-ins, and the start, which change rarely, may be left to the night.
 */
export const isNightly = process.env["NIGHTLY"] === "1";

/** How often a property is tried. */
export const timesTried = (eachRun: number, nightly: number): number =>
  isNightly ? nightly : eachRun;

/**
 * Every third case; all of them at night.
 * @param first the place of the first one: other tests of the same cases begin at other places, so that each case is
 *   part of every run
 */
export const everyThird = <Case>(cases: readonly Case[], first: 0 | 1 | 2): Case[] =>
  isNightly ? [...cases] : cases.filter((_, place) => place % 3 === first);
