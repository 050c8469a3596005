import { expect, it } from "vitest";

import { emailTemplates } from "~/modules/emails/templates.server";

const notice = {
  job_id: 7,
  title: "Bäcker:in <b>",
  expiration_date: "2027-01-04T17:12:30.123+00:00",
};

it("the letter about a job that ends soon says until when it is seen, and leads to renewing it", () => {
  const letter = emailTemplates["job-expiring"]!(notice, { appUrl: "https://dashboard.test" });
  expect(letter.paragraphs[0]).toBe(
    "People can see your job listing “Bäcker:in <b>” until Jan 4, 2027, 17:12 UTC.",
  );
  expect(letter.paragraphs[1]).toContain("45 days are added");
  expect(letter.action).toEqual({
    label: "Renew listing",
    url: "https://dashboard.test/jobs/7/status",
  });
});

it("its subject says nothing of the job, nor of whom it is for", () => {
  expect(
    emailTemplates["job-expiring"]!(notice, { appUrl: "https://dashboard.test" }).subject,
  ).toBe("Your job listing ends soon");
});
