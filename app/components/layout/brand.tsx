import { Link } from "react-router-dom";

import { useOptionalApp } from "~/components/layout/app-context";
import { Logo } from "~/components/ui/logo";

/** What pages are called where the directory's name must not be shown. */
export const NEUTRAL_NAME = "Dashboard";

/**
 * The link to the start, with the directory's name and logo. Where the name must not be shown (in
 * discreet mode, and while no one knows who is looking) it has a neutral name and no logo.
 */
export function Brand() {
  const appName = useOptionalApp()?.appName;
  return (
    <Link to="/" className="brand">
      {appName ? <Logo /> : null}
      <span>{appName ?? NEUTRAL_NAME}</span>
    </Link>
  );
}
