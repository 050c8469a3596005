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

/** What more days cost, and what they do to the job. */
export function RenewalPrice({
  shown,
  renewal,
  until,
}: {
  shown: boolean;
  renewal: "live" | "unpublished";
  until: string;
}) {
  return (
    <>
      {shown ? `Costs ${formatDollars(JOB.cents)} and adds` : "Adds"} {JOB.liveDays} days
      {renewal === "unpublished"
        ? `, until ${until}. It stays unpublished until you republish it.`
        : `, so it’s live until ${until}.`}
    </>
  );
}
