import { formatDollars, JOB } from "~/modules/billing/prices";

/** The price of a job and how long it is live. One configured account sees no price. */
export function JobPrice({ shown }: { shown: boolean }) {
  if (!shown) return <>Once you pay, a job is live for {JOB.liveDays} days.</>;
  return (
    <>
      A job costs <strong>{formatDollars(JOB.cents)}</strong> instead of{" "}
      <s>{formatDollars(JOB.regularCents)}</s> and is live for {JOB.liveDays} days.
    </>
  );
}
