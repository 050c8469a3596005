import { formatDollars, JOB } from "~/modules/billing/prices";

/** What a job costs, beside what it would; only how long it is live for the account that is not shown prices. */
export function JobPrice({ shown }: { shown: boolean }) {
  if (!shown) return <>A job is live for {JOB.liveDays} days once it is paid for.</>;
  return (
    <>
      A job costs <strong>{formatDollars(JOB.cents)}</strong> instead of{" "}
      <s>{formatDollars(JOB.regularCents)}</s> and is live for {JOB.liveDays} days.
    </>
  );
}
