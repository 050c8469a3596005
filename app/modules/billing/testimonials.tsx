import { useApp } from "~/components/layout/app-context";

/** What a supporter says about the directory, in their own words. */
export interface Testimonial {
  words: string;
  /** Who says it, as they agreed to be named. */
  by: string;
  /** Invented, to show where a testimonial goes. Only the local demo shows it, marked as an example. */
  example?: true;
}

/**
 * For the team to replace: put a supporter's own words in place of an example, with their consent, and
 * remove `example`. Until then a hosted dashboard shows none, because invented praise would deceive the
 * people who are asked to pay.
 */
export const TESTIMONIALS: readonly [Testimonial, Testimonial, Testimonial] = [
  {
    words:
      "Half the people at our long table found us on the map. They walk in as if they’ve been here before.",
    by: "Owner of a supper club",
    example: true,
  },
  {
    words:
      "New clients tell me they were looking for someone they wouldn’t have to explain themselves to.",
    by: "Therapist",
    example: true,
  },
  {
    words: "We asked for volunteers in one newsletter, and our Saturday crew has doubled.",
    by: "Organizer of a bike kitchen",
    example: true,
  },
];

/** A testimonial with its author. An example is only shown in the local demo, marked as one. */
export function TestimonialQuote({
  testimonial: { words, by, example },
}: {
  testimonial: Testimonial;
}) {
  const { mailboxUrl } = useApp();
  if (example && mailboxUrl === null) return null;
  return (
    <figure>
      <blockquote>
        <p>{`“${words}”`}</p>
      </blockquote>
      <figcaption>
        {example ? `${by} (sample quote: replace with a real supporter’s words)` : by}
      </figcaption>
    </figure>
  );
}
