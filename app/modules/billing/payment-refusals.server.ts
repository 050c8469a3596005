/** Paying is not possible just now. The message is a sentence for people; what they ordered is kept, and can be paid later. */
export class PaymentUnavailable extends Error {
  override name = "PaymentUnavailable";
}

/** A newsletter that cannot be had: sold out, kept free by the team, or over. */
export interface GoneDate {
  /** YYYY-MM-DD */
  date: string;
  outcome: "full" | "blocked" | "past";
}

/** This cannot be paid for, and why, in a sentence for people. Nothing was charged. */
export class PaymentRefused extends Error {
  override name = "PaymentRefused";
  constructor(
    message: string,
    /** The dates of a sponsorship that are gone; empty when it is refused for something else. */
    readonly dates: readonly GoneDate[] = [],
  ) {
    super(message);
  }
}
