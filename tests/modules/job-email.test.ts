import { expect, it } from "vitest";

import { emailTemplates } from "~/modules/emails/templates.server";

const data = {
  job_id: 7,
  title: "Bäcker:in <b>",
  expiration_date: "2027-01-04T17:12:30.123+00:00",
};

it("the email about an expiring job says until when it is live and links to renewing it", () => {
  const email = emailTemplates["job-expiring"]!(data, { appUrl: "https://dashboard.test" });
  expect(email.paragraphs[0]).toBe(
    "People can see your job listing “Bäcker:in <b>” until Jan\u00a04,\u00a02027 at 5:12\u00a0PM\u00a0UTC.",
  );
  expect(email.paragraphs[1]).toContain("add 45 days");
  expect(email.action).toEqual({
    label: "Renew listing",
    url: "https://dashboard.test/jobs/7/status",
  });
});

it("does not say that people see a job whose business listing is not public", () => {
  const email = emailTemplates["job-expiring"]!(
    { ...data, shown: false },
    { appUrl: "https://dashboard.test" },
  );
  expect(email.paragraphs[0]).toBe(
    "Your job listing “Bäcker:in <b>” is paid for until Jan\u00a04,\u00a02027 at 5:12\u00a0PM\u00a0UTC, but no one can see it right now, because its business listing isn’t public.",
  );
  // Its payment refuses more days.
  expect(JSON.stringify(email)).not.toContain("Renew");
});

it("its subject names neither the job nor the directory", () => {
  expect(emailTemplates["job-expiring"]!(data, { appUrl: "https://dashboard.test" }).subject).toBe(
    "Your job listing ends soon",
  );
});

it.each([{ deleted: true }, {}])(
  "doesn’t say that a job was paid for which our team takes or deletes: it may be a draft",
  (how) => {
    const email = emailTemplates["job-left"]!(
      { title: "Baker", ...how },
      { appUrl: "https://dashboard.test" },
    );
    expect(email.paragraphs[1]).toMatch(/^If you paid for it, you’ll find that under My Account/);
  },
);
