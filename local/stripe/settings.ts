/** What is decided on the pages of the stand-in rather than through the API. */
export interface Settings {
  /** How far the clock is ahead of the real one. */
  aheadMs: number;
  /** What becomes of a subscription when every retry of a payment has failed. */
  afterRetries: "cancel" | "unpaid";
  /** Deliveries wait until somebody sends them. */
  deliveriesHeld: boolean;
}

export const FIRST_SETTINGS: Settings = {
  aheadMs: 0,
  afterRetries: "cancel",
  deliveriesHeld: false,
};
