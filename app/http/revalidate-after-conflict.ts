import type { ShouldRevalidateFunction } from "@remix-run/react";

/**
 * For routes whose action can answer 409, exported as `shouldRevalidate`: the page then shows the
 * current data beside the submitted form. By default Remix loads no data after an error response,
 * since an error changes nothing; a conflict means that someone else changed something. Other
 * errors are named here because Remix passes `true` as their default to a route with this export.
 */
export const revalidateAfterConflict: ShouldRevalidateFunction = ({
  actionStatus,
  defaultShouldRevalidate,
}) =>
  actionStatus === undefined || actionStatus < 400 ? defaultShouldRevalidate : actionStatus === 409;
