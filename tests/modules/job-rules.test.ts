import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  getJobBadges,
  listJobActions,
  confirmJobAction,
  JOB_ACTION_LABELS,
  JOB_STATES,
  getJobState,
  getRenewedExpiration,
  describeJobState,
  actionBlockedReason,
  type ShownJobFacts,
  type FreeJobAction,
} from "~/modules/jobs/rules";
import { JOB } from "~/modules/billing/prices";
import { formatDate, formatTimestamp } from "~/text/dates";

const NOW = new Date("2027-03-01T12:00:00.000Z");
const at = (ms: number) => new Date(NOW.getTime() + ms).toISOString();
const DAY = 24 * 60 * 60 * 1000;

const job = (facts: Partial<ShownJobFacts> = {}): ShownJobFacts => ({
  paid: true,
  published: true,
  expiration_date: at(DAY),
  filled_at: null,
  names_company: true,
  payment_pending: false,
  ...facts,
});
const labels = (facts: Partial<ShownJobFacts>) =>
  getJobBadges(job(facts), NOW).map(({ label }) => label);
const buttons = (facts: Partial<ShownJobFacts>) =>
  listJobActions(job(facts), NOW).map((action) => JOB_ACTION_LABELS[action]);

it("offers no renewal of a job that no one would see, and says what to do first", () => {
  for (const facts of [{}, { expiration_date: at(-DAY) }])
    expect(buttons({ ...facts, names_company: false })).not.toContain("Renew listing");
  const expired = job({ expiration_date: at(-DAY), names_company: false });
  expect(describeJobState(expired, NOW, "rosa")).toContain(
    "and name the company. It can be renewed after that.",
  );
});

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
  ])("that is %s shows its state and the action for it", (_, facts, label, button) => {
    expect(labels(facts)).toEqual([label]);
    expect(buttons(facts)[0]).toBe(button);
  });

  it("expires at its expiration date to the millisecond, in any format of the date", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -3, max: 3 }),
        fc.boolean(),
        fc.constantFrom("Z", "+00:00"),
        (ms, published, zone) => {
          const facts = job({ published, expiration_date: at(ms).replace("Z", zone) });
          expect(getJobState(facts, NOW)).toBe(
            ms <= 0 ? "expired" : published ? "published" : "unpublished",
          );
        },
      ),
    );
    expect(getJobState(job({ expiration_date: "2027-03-01T13:00:00.001+01:00" }), NOW)).toBe(
      "published",
    );
    expect(getJobState(job({ expiration_date: "2027-03-01T13:00:00+01:00" }), NOW)).toBe("expired");
  });

  it("is in one state at any time, and only expires unless it is paid for again", () => {
    fc.assert(
      fc.property(anyJob, fc.nat(200 * DAY), (facts, later) => {
        const [before, after] = [
          getJobState(facts, NOW),
          getJobState(facts, new Date(NOW.getTime() + later)),
        ];
        expect(JOB_STATES).toContain(before);
        if (before === "pending-payment" || before === "expired") expect(after).toBe(before);
        else expect([before, "expired"]).toContain(after);
      }),
    );
  });

  it("offers only actions that are possible", () => {
    fc.assert(
      fc.property(anyJob, (facts) => {
        const actions = listJobActions(facts, NOW);
        expect(new Set(actions).size).toBe(actions.length);
        for (const action of ["unpublish", "republish", "fill", "reopen"] as FreeJobAction[]) {
          if (actions.includes(action)) expect(actionBlockedReason(facts, action, NOW)).toBeNull();
        }
        expect(actions.includes("pay")).toBe(!facts.paid);
        if (actions.includes("renew")) expect(facts.paid).toBe(true);
      }),
    );
  });

  it("that is unpaid or expired can’t be published again or marked as filled", () => {
    for (const action of ["unpublish", "republish", "fill", "reopen"] as const) {
      expect(
        actionBlockedReason(
          job({ paid: false, published: false, expiration_date: null }),
          action,
          NOW,
        ),
      ).toBe("This job isn’t paid for.");
      expect(actionBlockedReason(job({ expiration_date: at(0) }), action, NOW)).toBe(
        "This job listing has expired.",
      );
    }
    expect(actionBlockedReason(job({ published: false }), "fill", NOW)).toMatch(
      /Only a published job/,
    );
  });

  it("accepts an action that was done already", () => {
    expect(actionBlockedReason(job({ published: false }), "unpublish", NOW)).toBeNull();
    expect(actionBlockedReason(job(), "republish", NOW)).toBeNull();
    expect(actionBlockedReason(job({ filled_at: at(-1) }), "fill", NOW)).toBeNull();
    expect(confirmJobAction("unpublish", { ...job(), title: "X" }, NOW, "rosa")).toContain("“X”");
  });

  it("that is filled shows it, and can be reopened but not renewed until it expires", () => {
    expect(labels({ filled_at: at(-DAY) })).toEqual(["Filled"]);
    expect(labels({ filled_at: at(-DAY), expiration_date: at(-1) })).toEqual([
      "Listing expired",
      "Filled",
    ]);
    expect(buttons({ filled_at: at(-DAY) })).toEqual(["Reopen"]);
    expect(buttons({})).toContain("Mark as filled");
    expect(buttons({ filled_at: at(-DAY), expiration_date: at(-1) })).toEqual(["Renew listing"]);
  });

  it("that an admin marks as filled can be reopened by its owner, as the admin reads", () => {
    const filled = { ...job({ filled_at: at(-1), owner: "rosa" }), title: "X" };
    const says = (reader: string) => confirmJobAction("fill", filled, NOW, reader);
    expect(says("admin")).toContain("its owner can reopen it");
    expect(says("rosa")).not.toContain("owner");
  });
});

describe("a payment on its way", () => {
  const unpaid = { paid: false, published: false, expiration_date: null, payment_pending: true };

  it("replaces “Pending payment”, and stands beside any other state", () => {
    expect(labels(unpaid)).toEqual(["Payment on its way"]);
    expect(labels({ payment_pending: true })).toEqual(["Published", "Payment on its way"]);
    expect(labels({ payment_pending: true, expiration_date: at(-1) })).toEqual([
      "Listing expired",
      "Payment on its way",
    ]);
  });

  it("leaves nothing to pay", () => {
    fc.assert(
      fc.property(anyJob, (facts) => {
        const actions = listJobActions({ ...facts, payment_pending: true }, NOW);
        expect(actions).not.toContain("pay");
        expect(actions).not.toContain("renew");
        const others = listJobActions(facts, NOW).filter((one) => one !== "pay" && one !== "renew");
        expect(actions).toEqual(others);
      }),
    );
  });

  it("is in the description", () => {
    expect(describeJobState(job(unpaid), NOW, "rosa")).toContain("goes live as soon as it arrives");
    expect(describeJobState(job({ payment_pending: true }), NOW, "rosa")).toContain(
      "Your payment for more days is on its way.",
    );
  });

  it("is refunded while no one would see the job, as its owner reads with what to do", () => {
    for (const facts of [unpaid, { payment_pending: true, expiration_date: at(-1) }]) {
      const text = describeJobState(job({ ...facts, names_company: false }), NOW, "rosa");
      expect(text).toContain("Make the listing public");
      expect(text).toContain("If neither is done by the time it arrives, we’ll refund it.");
      expect(text).not.toContain("goes live");
    }
    // More days of one that was live are added to it.
    expect(
      describeJobState(job({ payment_pending: true, names_company: false }), NOW, "rosa"),
    ).toContain("We’ll add them as soon as it arrives.");
  });

  it("is refunded once its payer has asked for the deletion of their account, as they read", () => {
    for (const facts of [unpaid, { payment_pending: true }]) {
      const text = describeJobState(
        job({ ...facts, owner: "rosa", payer: "rosa" }),
        NOW,
        "rosa",
        true,
      );
      expect(text).toContain("so we’ll refund it when it arrives");
      expect(text).toContain("choose “Keep my account”");
      expect(text).not.toMatch(/goes live|add them/);
    }
    expect(
      describeJobState(job({ ...unpaid, owner: "rosa", payer: "admin" }), NOW, "rosa", true),
    ).not.toContain("Keep my account");
  });

  it("is someone else’s for an admin, and is refunded when our team has taken the job from its owner", () => {
    const says = (facts: Partial<ShownJobFacts>) =>
      describeJobState(job({ ...unpaid, ...facts }), NOW, "admin");
    expect(says({ owner: "rosa" })).toContain("A payment is on its way. The job goes live");
    expect(says({ owner: "admin" })).toContain("Your payment is on its way.");
    for (const gone of [{}, { paid: true, expiration_date: at(-1) }])
      expect(says({ ...gone, owner: null })).toContain("we’ll refund the payment when it arrives");
    expect(says({ owner: null })).not.toContain("goes live as soon");
    // More days, too, of a live job that no one owns, or someone else.
    const live = { paid: true, published: true, expiration_date: at(10 * DAY) };
    expect(says({ ...live, owner: null })).toContain("we’ll refund the payment when it arrives");
    for (const payer of ["rosa", null])
      for (const facts of [{}, live])
        expect(says({ ...facts, owner: "sam", payer })).toContain(
          "We’ll refund that payment when it arrives",
        );
    for (const payer of ["sam", "admin"]) {
      expect(says({ owner: "sam", payer })).toContain("goes live as soon as it arrives");
      expect(says({ ...live, owner: "sam", payer })).toContain("We’ll add them");
    }
  });
});

describe("a renewal", () => {
  it("adds its days to the remaining ones, or begins now", () => {
    fc.assert(
      fc.property(fc.integer({ min: -100 * DAY, max: 100 * DAY }), (left) => {
        const until =
          getRenewedExpiration({ expiration_date: at(left) }, NOW, JOB.liveDays).getTime() -
          NOW.getTime();
        expect(until).toBe(Math.max(left, 0) + 45 * DAY);
      }),
    );
    expect(getRenewedExpiration({ expiration_date: null }, NOW, JOB.liveDays).getTime()).toBe(
      NOW.getTime() + 45 * DAY,
    );
  });
});

describe("the description of a job", () => {
  it("has times with their zone", () => {
    expect(formatTimestamp("2027-01-04T18:12:59.999+01:00")).toBe("Jan 4, 2027, 5:12 PM UTC");
    expect(formatTimestamp("2027-01-04T00:00:00Z")).toBe("Jan 4, 2027, 12:00 AM UTC");
  });

  it("says until when the state lasts", () => {
    fc.assert(
      fc.property(anyJob, (facts) => {
        // (A line doesn't end within a date.)
        const text = describeJobState(facts, NOW, "rosa").replaceAll("\u00a0", " ");
        if (facts.expiration_date) expect(text).toContain(formatDate(facts.expiration_date));
        else expect(text).toContain("once you pay");
      }),
    );
  });
});
