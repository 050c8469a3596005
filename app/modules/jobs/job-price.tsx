import { dollars, JOB } from "~/modules/billing/prices";

/** What a job costs, beside what it would; only how long it is live for the account that is not shown prices. */
export function JobPrice({ shown }: { shown: boolean }) {
  if (!shown) return <>A job is live for {JOB.liveDays} days once it is paid for.</>;
  return (
    <>
      A job costs <strong>{dollars(JOB.cents)}</strong> instead of{" "}
      <s>{dollars(JOB.insteadOfCents)}</s> and is live for {JOB.liveDays} days.
    </>
  );
}
