import { useRef } from "react";
import type { ReactNode } from "react";

import { DemoBanner } from "~/components/layout/demo-banner";
import { FlashMessage } from "~/components/layout/flash-message";
import { useFocusAfterNavigation } from "~/components/layout/focus-after-navigation";
import { PageFooter } from "~/components/layout/page-footer";
import { TopBar } from "~/components/layout/top-bar";
import type { Flash } from "~/http/flash.server";

interface SignedOutFrameProps {
  /** The page's heading. Leave it out when the children have one, as an ErrorPage does. */
  title?: string;
  /** Shown under the card: links to related pages. */
  below?: ReactNode;
  /** A wider card, for long forms such as sign-up. */
  wide?: boolean;
  /** No card: for a page with its own layout. */
  open?: boolean;
  flash?: Flash | null;
  children: ReactNode;
}

/**
 * The frame of the pages for people who are not signed in: one card under the top bar. It
 * also renders without an AppProvider, so that it can show an error in the root.
 */
export function SignedOutFrame({
  title,
  below,
  wide = false,
  open = false,
  flash,
  children,
}: SignedOutFrameProps) {
  const content = useRef<HTMLElement>(null);
  useFocusAfterNavigation(content);

  return (
    <>
      <a className="skip-link" href="#content">
        Skip to main content
      </a>{" "}
      <DemoBanner /> <TopBar />
      <div className="signed-out">
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
      <PageFooter />
    </>
  );
}
