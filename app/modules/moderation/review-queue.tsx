import type { SentBack } from "~/components/forms/form-state";
import { Notice } from "~/components/ui/notice";
import { PageHeader } from "~/components/ui/page-header";

import { ApprovalResult } from "./approval-result";
import type { Decision } from "./approve.server";
import type { WaitingListing } from "./review-queue.server";
import { ReviewTable } from "./review-table";

interface ReviewQueueProps {
  title: string;
  subtitle: string;
  rows: WaitingListing[];
  total: number;
  /** What the form that was just sent came to, or the form itself when it came back; undefined when nobody sent one. */
  sent: { decisions: Decision[] } | { lastResult: SentBack } | undefined;
}

/** A queue of the review desk: what was decided just now, then what still waits. */
export function ReviewQueue({ title, subtitle, rows, total, sent }: ReviewQueueProps) {
  const decisions = sent && "decisions" in sent ? sent.decisions : undefined;
  const chosen = sent && "lastResult" in sent ? [sent.lastResult.initialValue?.["listing"] ?? []].flat() : [];
  return (
    <>
      <PageHeader title={title} subtitle={subtitle} />
      {decisions?.length === 0 ? <Notice tone="problem">Choose the listings you want to approve first.</Notice> : null}
      {decisions?.length ? <ApprovalResult decisions={decisions} /> : null}
      <ReviewTable caption={total === 1 ? "1 listing" : `${total} listings`} rows={rows} total={total} chosen={chosen} />
    </>
  );
}
