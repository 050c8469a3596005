/** What a supporter says of the directory, in their own words. */
export interface Testimonial {
  words: string;
  /** Who says it, as they agreed to be named. */
  by: string;
  /** Nobody said this: it shows where a testimonial stands, and is drawn in the local demo alone, marked as an example. */
  example?: true;
}

/**
 * The team's to replace: put a supporter's own words in place of an example, with their consent, and take `example`
 * away. Until then a hosted dashboard shows none, since made-up praise would be a lie to those who are asked to pay.
 */
export const TESTIMONIALS: readonly [Testimonial, Testimonial, Testimonial] = [
  {
    words:
      "Half of the people at our long table found us on the map. They come in as if they had been here before.",
    by: "Owner of a supper club",
    example: true,
  },
  {
    words:
      "New clients tell me that they looked for somebody they would not have to explain themselves to.",
    by: "Therapist",
    example: true,
  },
  {
    words: "We asked for volunteers in one newsletter, and our Saturday crew has doubled.",
    by: "Organizer of a bike kitchen",
    example: true,
  },
];
