import { expect, it } from "vitest";

import { renderEmail } from "~/modules/emails/render-email.server";
import { formatDeadline } from "~/text/deadlines";

it("keeps each date of an email on one line, where mail programs wrap its text", () => {
  const { html, text } = renderEmail({
    greeting: "Hello,",
    paragraphs: [
      "The newsletters on Dec 22 and Dec 24 go out.",
      "• Thursday, December 24, 2026\n• Until Jan 9, 2027 at noon",
      `It ends on ${formatDeadline("2027-03-05T17:05:00Z")}.`,
    ],
    reason: "You have an account.",
    unsubscribeLink: null,
  });
  for (const date of [
    "Dec\u00a022 ",
    "Dec\u00a024 ",
    "December\u00a024,\u00a02026",
    "Jan\u00a09,\u00a02027 ",
    "Mar\u00a05,\u00a02027 at 5:05\u00a0PM\u00a0UTC",
  ])
    expect(html).toContain(date);
  expect(html).toContain("Thursday, December");
  // Plain text is searched and copied.
  expect(text).toContain("on Dec 22 and Dec 24 go out");
  expect(text).toContain("It ends on Mar 5, 2027 at 5:05 PM UTC.");
});
