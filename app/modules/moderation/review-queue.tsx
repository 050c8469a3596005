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
  /** What the form that was just sent came to; nobody sent one when it is undefined. */
  decisions: Decision[] | undefined;
}

/** A queue of the review desk: what was decided just now, then what still waits. */
export function ReviewQueue({ title, subtitle, rows, total, decisions }: ReviewQueueProps) {
  return (
    <>
      <PageHeader title={title} subtitle={subtitle} />
      {decisions?.length === 0 ? <Notice tone="problem">Choose the listings you want to approve first.</Notice> : null}
      {decisions?.length ? <ApprovalResult decisions={decisions} /> : null}
      <ReviewTable caption={total === 1 ? "1 listing" : `${total} listings`} rows={rows} total={total} />
    </>
  );
}
