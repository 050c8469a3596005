import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { createFormState } from "~/components/forms/form-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { decideOnChoice, noSuchChoice, undoChoice } from "~/modules/moderation/choice-form.server";
import { ChoicePreview } from "~/modules/moderation/choice-preview";
import { ChoiceResult } from "~/modules/moderation/choice-result";
import {
  countOfListings,
  decisionOf,
  decisionsOffered,
  DECISION_WORDS,
} from "~/modules/moderation/decision-rules";
import { batchId, CHOICE_ROWS, reviewChoice } from "~/modules/moderation/decisions.server";
import { listingsFilter, listingsTable, viewOf } from "~/modules/moderation/listings-filter";

export const handle = { title: "Decide on listings" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

export const loader = routeLoader({ access: "admin" }, async ({ db, params, url }) => {
  const batch = batchId(params.batch);
  const asked = decisionOf(url.searchParams.get("action"));
  const skip = /^\d{1,5}$/.test(url.searchParams.get("skip") ?? "")
    ? Number(url.searchParams.get("skip"))
    : 0;
  const choice = batch && (await reviewChoice(db, batch, asked, skip));
  if (!choice) throw noSuchChoice();
  const filter = listingsFilter(url.searchParams);
  const here = (place: { action?: string; skip?: number }) =>
    paths.adminDecision(choice.batch, { ...filter, action: asked ?? undefined, ...place });
  return json({
    choice,
    decision: choice.action ?? asked,
    decided: choice.action !== null,
    back: listingsTable(filter),
    others: decisionsOffered(viewOf(filter)).map((action) => ({
      action,
      address: here({ action }),
    })),
    pages: {
      ...(skip > 0 ? { previous: here({ skip: Math.max(skip - CHOICE_ROWS, 0) }) } : {}),
      ...(skip + choice.rows.length < choice.chosen && choice.rows.length > 0
        ? { next: here({ skip: skip + CHOICE_ROWS }) }
        : {}),
    },
  });
});

export const action = routeAction(
  { access: "admin" },
  { decide: decideOnChoice, undo: undoChoice },
);

export default function Decisions() {
  const { choice, decision, decided, back, others, pages } = useLoaderData<typeof loader>();
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
          <PageHeader title={`What is to be done with ${countOfListings(choice.chosen)}?`} />
          <ul className="links">
            {others.map((other) => (
              <li key={other.action}>
                <TextLink to={other.address}>{DECISION_WORDS[other.action].label}</TextLink>
              </li>
            ))}
          </ul>
        </>
      ) : decided ? (
        <ChoiceResult choice={choice} action={decision} back={back} />
      ) : (
        <ChoicePreview choice={choice} action={decision} form={form} back={back} />
      )}
      <Pagination label="Listings of this choice, pages" {...pages} />
    </div>
  );
}
