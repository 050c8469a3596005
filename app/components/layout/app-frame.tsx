import { useRef } from "react";
import type { ReactNode } from "react";

import { DemoBanner } from "~/components/layout/demo-banner";
import { FlashMessage } from "~/components/layout/flash-message";
import { useFocusAfterNavigation } from "~/components/layout/focus-after-navigation";
import { isAdminPage, type Place } from "~/components/layout/navigation";
import { PageFooter } from "~/components/layout/page-footer";
import { Sidebar } from "~/components/layout/sidebar";
import { TopBar } from "~/components/layout/top-bar";
import type { Flash } from "~/http/flash.server";

interface AppFrameProps {
  user: { fullName: string; admin: boolean };
  place: Place;
  flash?: Flash | null;
  children: ReactNode;
}

/**
 * The frame of the pages for signed-in users: skip link, demo banner, top bar, sidebar, flash message,
 * content. Admin pages are denser, and so are the forms that admins open from them.
 */
export function AppFrame({ user, place, flash, children }: AppFrameProps) {
  const content = useRef<HTMLElement>(null);
  useFocusAfterNavigation(content);

  return (
    <>
      <a className="skip-link" href="#content">
        Skip to main content
      </a>{" "}
      <DemoBanner /> <TopBar userName={user.fullName} menu />
      <div className={user.admin && isAdminPage(place) ? "frame dense" : "frame"}>
        <Sidebar user={user} place={place} />
        <main id="content" className="page" tabIndex={-1} ref={content}>
          <div className="page-inner">
            <FlashMessage flash={flash} />
            {children}
          </div>
        </main>
      </div>
      <PageFooter />
    </>
  );
}
