import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";

import { AppProvider } from "~/components/layout/app-context";
import { TestimonialQuote, TESTIMONIALS, type Testimonial } from "~/modules/billing/testimonials";

function render(testimonial: Testimonial, mailboxUrl: string | null): string {
  const value = { appName: "Map", csrf: "", contactUrl: null, mailboxUrl, counts: {} };
  return renderToStaticMarkup(
    createElement(AppProvider, {
      value,
      children: createElement(TestimonialQuote, { testimonial }),
    }),
  );
}

describe("a testimonial", () => {
  it("shows a supporter's words in the demo and on a hosted dashboard", () => {
    const real: Testimonial = { words: "They found us.", by: "Sam, Café X" };
    for (const mailbox of [null, "http://localhost:3001/mailbox"]) {
      expect(render(real, mailbox)).toContain("<p>“They found us.”</p>");
      expect(render(real, mailbox)).toContain("<figcaption>Sam, Café X</figcaption>");
    }
  });

  it("labels an example as an example, and shows it only in the local demo", () => {
    const examples = TESTIMONIALS.filter(({ example }) => example);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(render(example, "http://localhost:3001/mailbox")).toContain(
        "(sample quote: replace with a real supporter’s words)",
      );
      expect(render(example, null)).toBe("");
    }
  });
});
