import { Link, useLocation } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { useApp } from "~/components/layout/app-context";
import { Brand } from "~/components/layout/brand";
import { findCurrentLink, getNavigation } from "~/components/layout/navigation";
import { Icon } from "~/components/ui/icon";

/**
 * The sidebar of a signed-in user. On small screens it is a bar with a menu: opening its
 * `<details>` shows the list after it (see layout.css). The list is in the page once and works
 * without script.
 */
export function Sidebar({ user }: { user: { fullName: string; admin: boolean } }) {
  const { contactUrl } = useApp();
  const location = useLocation();
  const groups = getNavigation(user);
  const current = findCurrentLink(groups, location.pathname);

  return (
    <header className="sidebar">
      <div className="sidebar-inner">
        <Brand />
        {/* A new key after each navigation closes the menu. */}
        <details key={location.key} className="menu-switch">
          <summary>
            <Icon name="menu" />
            Menu
          </summary>
        </details>
        <nav aria-label="Main">
          {groups.map((group, index) => (
            <div key={group.label ?? index}>
              {group.label === null ? null : (
                <p className="nav-group" id={`nav-group-${index}`}>
                  {group.label}
                </p>
              )}
              <ul aria-labelledby={group.label === null ? undefined : `nav-group-${index}`}>
                {group.links.map((link) => (
                  <li key={link.to}>
                    <Link
                      to={link.to}
                      discover="none"
                      reloadDocument={link.document}
                      className="nav-link"
                      aria-current={
                        link !== current
                          ? undefined
                          : link.to === location.pathname
                            ? "page"
                            : "true"
                      }
                    >
                      {link.label}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
          <div className="nav-end">
            {user.fullName === "" ? null : (
              <p className="nav-who">
                Signed in as <b>{user.fullName}</b>
              </p>
            )}
            <ul>
              {contactUrl === null ? null : (
                <li>
                  <a className="nav-link" href={contactUrl}>
                    Get In Touch
                  </a>
                </li>
              )}
              <li>
                <PostForm action="/logout">
                  <button type="submit" className="nav-link">
                    Logout
                  </button>
                </PostForm>
              </li>
            </ul>
          </div>
        </nav>
      </div>
    </header>
  );
}
