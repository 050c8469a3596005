import { useNavigation } from "@remix-run/react";
import { useState } from "react";
import { useLocation } from "react-router-dom";

/** What came back from an action, or from a draft, as far as it says which version was edited. */
interface Edited {
  lastResult: { initialValue: Record<string, unknown> };
  /** Whether someone else saved a newer version, which the page shows now. */
  stale?: boolean | undefined;
}

/**
 * The version that the fields of a form began from, for its hidden field. Script may load the data
 * of a page again while someone types, such as after Back and Forward. The fields keep their
 * values, so their version stays as well; it reveals what someone else has saved meanwhile. Once a
 * form of the page was sent, the version is that of the new data.
 * @param loaded the version that the page shows
 */
export function useEditedVersion(loaded: number, result: Edited | undefined): string {
  const { pathname } = useLocation();
  const isSent = useNavigation().formAction?.split("?")[0] === pathname;
  const [kept, keep] = useState({ version: loaded, isSent });
  if (kept.isSent !== isSent) keep({ version: isSent ? kept.version : loaded, isSent });
  // A form with errors still edits the version it was opened with. After a conflict, the newer one.
  const typed = result?.stale ? undefined : result?.lastResult.initialValue["version"];
  return typeof typed === "string" ? typed : String(kept.version);
}

/**
 * The same, with what the form was opened with, for a form that has both as hidden fields.
 * @param opened names what the page shows in its fields
 */
export function useOpenedForm(loaded: number, opened: string, result: Edited | undefined) {
  const version = useEditedVersion(loaded, result);
  const typed = result?.lastResult.initialValue["opened"];
  if (version === String(loaded)) return { version, opened };
  return { version, opened: typeof typed === "string" ? typed : "" };
}
