import { useRef } from "react";
import type { ReactNode } from "react";

import { DemoBanner } from "~/components/layout/demo-banner";
import { FlashMessage } from "~/components/layout/flash-message";
import { useFocusAfterNavigation } from "~/components/layout/focus-after-navigation";
import { QuickExit } from "~/components/layout/quick-exit";
import { Sidebar } from "~/components/layout/sidebar";
import type { Flash } from "~/http/flash.server";

interface AppFrameProps {
  user: { fullName: string; admin: boolean };
  flash?: Flash | null;
  children: ReactNode;
}

/**
 * The frame of the pages for signed-in users: skip link, demo banner, sidebar, flash message,
 * content.
 */
export function AppFrame({ user, flash, children }: AppFrameProps) {
  const content = useRef<HTMLElement>(null);
  useFocusAfterNavigation(content);

  return (
    <>
      <a className="skip-link" href="#content">
        Skip to main content
      </a>
      <QuickExit />
      <DemoBanner />
      <div className="frame">
        <Sidebar user={user} />
        <main id="content" className="page" tabIndex={-1} ref={content}>
          <div className="page-inner">
            <FlashMessage flash={flash} />
            {children}
          </div>
        </main>
      </div>
    </>
  );
}
