import { useApp } from "~/components/layout/app-context";

import type { Testimonial } from "./testimonials";

/** A testimonial with who gave it. An example is drawn in the local demo alone, and says that it is one. */
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
        <p>“{words}”</p>
      </blockquote>
      <figcaption>
        {by}
        {example ? " (an example: the words of a real supporter belong here)" : null}
      </figcaption>
    </figure>
  );
}
