import type { ShouldRevalidateFunction } from "@remix-run/react";

/**
 * For every route whose action can answer 409: its page then shows what is saved now, beside the form that came
 * back. Remix by itself loads nothing anew after a refusal, for as a rule a refusal changes nothing; a conflict says that
 * somebody else did. A route exports it as `shouldRevalidate`.
 */
export const revalidateAfterConflict: ShouldRevalidateFunction = ({ actionStatus, defaultShouldRevalidate }) =>
  actionStatus === 409 || defaultShouldRevalidate;
