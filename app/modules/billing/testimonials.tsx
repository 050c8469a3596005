import type { Testimonial } from "~/text/testimonials.server";

/** A testimonial with its author. Nothing without one: what supporters say is a setting, and we invent nothing. */
export function TestimonialQuote({ testimonial }: { testimonial: Testimonial | undefined }) {
  if (!testimonial) return null;
  return (
    <figure>
      <blockquote>
        <p>
          “<bdi>{testimonial.words}</bdi>”
        </p>
      </blockquote>
      <figcaption>
        <bdi>{testimonial.by}</bdi>
      </figcaption>
    </figure>
  );
}

/** All testimonials beside one another. */
export function Testimonials({ testimonials }: { testimonials: readonly Testimonial[] }) {
  if (testimonials.length === 0) return null;
  return (
    <div className="testimonials">
      {testimonials.map((testimonial) => (
        <TestimonialQuote key={testimonial.words} testimonial={testimonial} />
      ))}
    </div>
  );
}
