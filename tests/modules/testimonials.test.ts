import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";

import { AppProvider } from "~/components/layout/app-context";
import { TestimonialQuote, TESTIMONIALS, type Testimonial } from "~/modules/billing/testimonials";

function drawn(testimonial: Testimonial, mailboxUrl: string | null): string {
  const value = { appName: "Map", csrf: "", contactUrl: null, quickExitUrl: "", mailboxUrl };
  return renderToStaticMarkup(
    createElement(AppProvider, {
      value,
      children: createElement(TestimonialQuote, { testimonial }),
    }),
  );
}

describe("a testimonial", () => {
  it("is a supporter's own words wherever the dashboard runs", () => {
    const real: Testimonial = { words: "They found us.", by: "Sam, Café X" };
    for (const mailbox of [null, "http://localhost:3001/mailbox"]) {
      expect(drawn(real, mailbox)).toContain("<p>“They found us.”</p>");
      expect(drawn(real, mailbox)).toContain("<figcaption>Sam, Café X</figcaption>");
    }
  });

  it("that nobody gave says that it is an example, and stands in the local demo alone", () => {
    const examples = TESTIMONIALS.filter(({ example }) => example);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(drawn(example, "http://localhost:3001/mailbox")).toContain(
        "(an example: the words of a real supporter belong here)",
      );
      expect(drawn(example, null)).toBe("");
    }
  });
});
