import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  jobBadges,
  jobChoices,
  jobDone,
  JOB_INTENT_LABELS,
  JOB_STATES,
  jobState,
  momentInWords,
  paidUntil,
  standingOf,
  whyNot,
  type JobFacts,
  type JobSwitch,
} from "~/modules/jobs/rules";
import { JOB } from "~/modules/billing/prices";

const NOW = new Date("2027-03-01T12:00:00.000Z");
const at = (ms: number) => new Date(NOW.getTime() + ms).toISOString();
const DAY = 86_400_000;

const job = (facts: Partial<JobFacts> = {}): JobFacts => ({
  paid: true,
  published: true,
  expiration_date: at(DAY),
  filled_at: null,
  ...facts,
});
const labels = (facts: Partial<JobFacts>) => jobBadges(job(facts), NOW).map(({ label }) => label);
const buttons = (facts: Partial<JobFacts>) =>
  jobChoices(job(facts), NOW).map((choice) => JOB_INTENT_LABELS[choice]);

/** Any job the database could hold: a published one is paid for, a paid one expires. */
const anyJob = fc
  .record({
    paid: fc.boolean(),
    published: fc.boolean(),
    left: fc.integer({ min: -100 * DAY, max: 100 * DAY }),
    filled: fc.boolean(),
  })
  .map(({ paid, published, left, filled }) =>
    job({
      paid,
      published: paid && published,
      expiration_date: paid ? at(left) : null,
      filled_at: paid && filled ? at(-DAY) : null,
    }),
  );

describe("a job", () => {
  it.each([
    [
      "unpaid",
      { paid: false, published: false, expiration_date: null },
      "Pending payment",
      "Pay to activate listing",
    ],
    ["paid, published, before expiry", {}, "Published", "Unpublish listing"],
    ["paid, unpublished, not expired", { published: false }, "Unpublished", "Republish listing"],
    [
      "published and past its expiration",
      { expiration_date: at(-1) },
      "Listing expired",
      "Renew listing",
    ],
    [
      "unpublished and past its expiration",
      { published: false, expiration_date: at(-1) },
      "Listing expired",
      "Renew listing",
    ],
  ])("that is %s says so, and offers what fits", (_, facts, label, button) => {
    expect(labels(facts)).toEqual([label]);
    expect(buttons(facts)[0]).toBe(button);
  });

  it("expires at its expiration date to the millisecond, in whatever way that is written", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -3, max: 3 }),
        fc.boolean(),
        fc.constantFrom("Z", "+00:00"),
        (ms, published, zone) => {
          const facts = job({ published, expiration_date: at(ms).replace("Z", zone) });
          expect(jobState(facts, NOW)).toBe(
            ms <= 0 ? "expired" : published ? "published" : "unpublished",
          );
        },
      ),
    );
    expect(jobState(job({ expiration_date: "2027-03-01T13:00:00.001+01:00" }), NOW)).toBe(
      "published",
    );
    expect(jobState(job({ expiration_date: "2027-03-01T13:00:00+01:00" }), NOW)).toBe("expired");
  });

  it("is in exactly one state at any time, and lives through them in one direction unless it is paid for again", () => {
    fc.assert(
      fc.property(anyJob, fc.nat(200 * DAY), (facts, later) => {
        const [before, after] = [
          jobState(facts, NOW),
          jobState(facts, new Date(NOW.getTime() + later)),
        ];
        expect(JOB_STATES).toContain(before);
        if (before === "pending-payment" || before === "expired") expect(after).toBe(before);
        else expect([before, "expired"]).toContain(after);
      }),
    );
  });

  it("offers nothing that would be refused, and refuses nothing that it offers", () => {
    fc.assert(
      fc.property(anyJob, (facts) => {
        const choices = jobChoices(facts, NOW);
        expect(new Set(choices).size).toBe(choices.length);
        for (const choice of ["unpublish", "republish", "fill", "reopen"] as JobSwitch[]) {
          if (choices.includes(choice)) expect(whyNot(facts, choice, NOW)).toBeNull();
        }
        expect(choices.includes("pay")).toBe(!facts.paid);
        if (choices.includes("renew")) expect(facts.paid).toBe(true);
      }),
    );
  });

  it("unpaid or expired is neither published again nor marked as filled", () => {
    for (const intent of ["unpublish", "republish", "fill", "reopen"] as const) {
      expect(
        whyNot(job({ paid: false, published: false, expiration_date: null }), intent, NOW),
      ).toBe("This job is not paid for yet.");
      expect(whyNot(job({ expiration_date: at(0) }), intent, NOW)).toBe(
        "This job listing has expired.",
      );
    }
    expect(whyNot(job({ published: false }), "fill", NOW)).toMatch(/Only a published job/);
  });

  it("done twice is done", () => {
    expect(whyNot(job({ published: false }), "unpublish", NOW)).toBeNull();
    expect(whyNot(job(), "republish", NOW)).toBeNull();
    expect(whyNot(job({ filled_at: at(-1) }), "fill", NOW)).toBeNull();
    expect(jobDone("unpublish", "X")).toContain("“X”");
  });

  it("that is filled says so, and can look for somebody again, but is not renewed meanwhile", () => {
    expect(labels({ filled_at: at(-DAY) })).toEqual(["Published", "Filled"]);
    expect(buttons({ filled_at: at(-DAY) })).toEqual([
      "Unpublish listing",
      "Look for somebody again",
    ]);
    expect(buttons({})).toContain("Mark as filled");
    expect(buttons({ filled_at: at(-DAY), expiration_date: at(-1) })).toEqual(["Renew listing"]);
  });
});

describe("more days", () => {
  it("are added to those that are left, and begin now when none are", () => {
    fc.assert(
      fc.property(fc.integer({ min: -100 * DAY, max: 100 * DAY }), (left) => {
        const until =
          paidUntil({ expiration_date: at(left) }, NOW, JOB.liveDays).getTime() - NOW.getTime();
        expect(until).toBe(Math.max(left, 0) + 45 * DAY);
      }),
    );
    expect(paidUntil({ expiration_date: null }, NOW, JOB.liveDays).getTime()).toBe(
      NOW.getTime() + 45 * DAY,
    );
  });
});

describe("in words", () => {
  it("a moment names its zone", () => {
    expect(momentInWords("2027-01-04T18:12:59.999+01:00")).toBe("Jan 4, 2027, 17:12 UTC");
    expect(momentInWords("2027-01-04T00:00:00Z")).toBe("Jan 4, 2027, 00:00 UTC");
  });

  it("where a job stands names when that ends", () => {
    fc.assert(
      fc.property(anyJob, (facts) => {
        const words = standingOf(facts, NOW);
        if (facts.expiration_date) expect(words).toContain(momentInWords(facts.expiration_date));
        else expect(words).toContain("once it is paid for");
      }),
    );
  });
});
