import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { createFormState } from "~/components/forms/form-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { TextLink } from "~/components/ui/text-link";
import { uuidParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import {
  decideOnBatch,
  noSuchBatch,
  undoBatch,
} from "~/modules/moderation/decisions/batch-actions.server";
import {
  BatchPreview,
  BatchResult,
  formatBatch,
  formatResult,
} from "~/modules/moderation/decisions/batch-page";
import { BATCH_PAGE_ROWS, getBatch } from "~/modules/moderation/decisions/batch.server";
import {
  DECISION_LABELS,
  getQueueDecisions,
  parseDecision,
} from "~/modules/moderation/decisions/rules";
import {
  DEFAULT_PAGE_SIZE,
  getQueue,
  parseFilter,
  queuePath,
  toTicked,
} from "~/modules/moderation/queue/filter";
import { formatCount } from "~/text/counts";

export const handle = {
  title: "Decide on listings",
  tabTitle: ({ batch, decision, decided }: SerializeFrom<typeof loader>) =>
    decision === null
      ? handle.title
      : decided
        ? formatResult(batch, decision)
        : formatBatch(batch, decision),
};
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const params = { batch: uuidParam(noSuchBatch) };

export const loader = routeLoader({ access: "admin", params }, async ({ db, params, url }) => {
  const requested = parseDecision(url.searchParams.get("action"));
  const skip = parseSkip(url.searchParams.get("skip"));
  const batch = await getBatch(db, params.batch, requested, skip);
  if (!batch) throw noSuchBatch();
  const filter = parseFilter(url.searchParams);
  const pathTo = (query: { action?: string; skip?: number }) =>
    paths.adminDecision(batch.batch, { ...filter, action: requested ?? undefined, ...query });
  return json({
    batch,
    decision: batch.action ?? requested,
    decided: batch.action !== null,
    back: queuePath(filter),
    // After Cancel, the queue's first page has the same rows selected, unless there are more than this page lists.
    cancel:
      batch.rows.length < batch.selected
        ? queuePath(filter)
        : queuePath(filter, {
            rows: batch.selected > DEFAULT_PAGE_SIZE ? BATCH_PAGE_ROWS : undefined,
            ticked: toTicked(batch.rows),
          }),
    here: pathTo(skip > 0 ? { skip } : {}),
    undoLeft:
      batch.undo_until === null
        ? 0
        : Math.min(Math.max((Date.parse(batch.undo_until) - Date.now()) / UNDO_MS, 0), 1),
    others: getQueueDecisions(getQueue(filter)).map((action) => ({
      action,
      address: pathTo({ action }),
    })),
    pages: {
      ...(skip > 0 ? { previous: pathTo({ skip: Math.max(skip - BATCH_PAGE_ROWS, 0) }) } : {}),
      ...(skip + batch.rows.length < batch.selected && batch.rows.length > 0
        ? { next: pathTo({ skip: skip + BATCH_PAGE_ROWS }) }
        : {}),
    },
  });
});

/** For how long a decision can be undone: `private.undo_window`. */
const UNDO_MS = 10 * 60 * 1_000;

/** How many rows the page leaves out at the beginning of the batch. */
function parseSkip(text: string | null): number {
  return text !== null && /^\d{1,5}$/.test(text) ? Number(text) : 0;
}

export const action = routeAction(
  { access: "admin", params },
  { decide: decideOnBatch, undo: undoBatch },
);

export default function Decisions() {
  const { batch, decision, decided, back, cancel, here, undoLeft, others, pages } =
    useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const form = createFormState<"reason" | "reason_text">({
    id: "decision",
    lastResult: answer?.lastResult,
  });
  return (
    <div className="sections">
      <ErrorSummary form={form} />
      {decision === null ? (
        <>
          <PageHeader
            title={`What would you like to do with ${formatCount(batch.selected, "listing")}?`}
          />
          <ul className="links">
            {others.map((other) => (
              <li key={other.action}>
                <TextLink to={other.address}>{DECISION_LABELS[other.action].label}</TextLink>
              </li>
            ))}
          </ul>
        </>
      ) : decided ? (
        <BatchResult
          batch={batch}
          decision={decision}
          back={back}
          here={here}
          undoLeft={undoLeft}
        />
      ) : (
        <BatchPreview batch={batch} decision={decision} form={form} back={cancel} here={here} />
      )}
      <Pagination label="Selected listings, pages" {...pages} />
    </div>
  );
}
