import { Link } from "@remix-run/react";
import { useRef } from "react";
import type { ReactNode } from "react";

import { useOptionalApp } from "~/components/layout/app-context";
import { DemoBanner } from "~/components/layout/demo-banner";
import { FlashMessage } from "~/components/layout/flash-message";
import type { Flash } from "~/components/layout/flash-message";
import { useFocusAfterNavigation } from "~/components/layout/focus-after-navigation";
import { QuickExit } from "~/components/layout/quick-exit";
import { Logo } from "~/components/ui/logo";

interface SignedOutFrameProps {
  /** The page's heading. Leave it out when the children bring their own (an ErrorPage does). */
  title?: string;
  /** Stands under the card: the way to the other pages of this kind. */
  below?: ReactNode;
  /** More room, for long forms such as sign-up. */
  wide?: boolean;
  /** No card: for a page that composes itself. */
  open?: boolean;
  flash?: Flash | null;
  children: ReactNode;
}

/**
 * The frame for people who are not signed in: one calm card under the name. It draws without an AppProvider too, so
 * that an error in the root can still be shown in it.
 */
export function SignedOutFrame({
  title,
  below,
  wide = false,
  open = false,
  flash,
  children,
}: SignedOutFrameProps) {
  const app = useOptionalApp();
  const content = useRef<HTMLElement>(null);
  useFocusAfterNavigation(content);

  return (
    <>
      <a className="skip-link" href="#content">
        Skip to main content
      </a>
      <QuickExit />
      <DemoBanner />
      <div className="signed-out">
        <header>
          <Link to="/" discover="none" className="brand">
            <Logo size={34} label={app === null ? "Home" : undefined} />
            {app?.appName}
          </Link>
        </header>
        <main
          id="content"
          className={open ? "open" : wide ? "wide" : undefined}
          tabIndex={-1}
          ref={content}
        >
          <div className={open ? "page-inner" : "sheet"}>
            <FlashMessage flash={flash} />
            {title === undefined ? null : <h1>{title}</h1>}
            {children}
          </div>
          {below === undefined ? null : <div className="below">{below}</div>}
        </main>
      </div>
    </>
  );
}
