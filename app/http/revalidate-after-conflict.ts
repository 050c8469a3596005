import type { ShouldRevalidateFunction } from "@remix-run/react";

/**
 * For every route whose action can answer 409: its page then shows what is saved now, beside the form that came
 * back. Remix by itself loads nothing anew after a refusal, for as a rule a refusal changes nothing; a conflict says that
 * somebody else did. A route exports it as `shouldRevalidate`. It states the rule for refusals itself: to a route that
 * exports one, Remix gives "yes" as the default for those, too.
 */
export const revalidateAfterConflict: ShouldRevalidateFunction = ({
  actionStatus,
  defaultShouldRevalidate,
}) =>
  actionStatus === undefined || actionStatus < 400 ? defaultShouldRevalidate : actionStatus === 409;
