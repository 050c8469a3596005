import { useLocation } from "@remix-run/react";

import { Brand } from "~/components/layout/brand";
import { QuickExit } from "~/components/layout/quick-exit";
import { Icon } from "~/components/ui/icon";

/**
 * The bar at the top of every page, which stays in view and covers nothing: the way home, who is signed in, and the way
 * out. `menu` adds the switch that shows the sidebar's links on small screens (see layout.css): a `<details>`,
 * so that it needs no script.
 */
export function TopBar({ userName = "", menu = false }: { userName?: string; menu?: boolean }) {
  const location = useLocation();
  return (
    <header className="top-bar">
      <Brand />{" "}
      {userName === "" ? null : (
        <p className="who">
          <Icon name="user" />
          <span className="sr-only">Signed in as </span>
          <bdi>{userName}</bdi>
        </p>
      )}
      <QuickExit />
      {menu ? (
        // A new key after each navigation closes the menu.
        <details key={location.key} className="menu-switch" data-menu>
          <summary>
            <Icon name="menu" />
            Menu
          </summary>
        </details>
      ) : null}
    </header>
  );
}
