import { useLocation } from "@remix-run/react";
import { Link } from "react-router-dom";

import { PostForm } from "~/components/forms/form";
import { useApp } from "~/components/layout/app-context";
import {
  findCurrentLink,
  getNavigation,
  isAdminPage,
  type Place,
} from "~/components/layout/navigation";
import { Icon } from "~/components/ui/icon";
import { formatNumber } from "~/text/counts";

/**
 * The links of a signed-in user. On admin pages those of admins are first, and their own pages are collapsed below.
 * On small screens the switch of the top bar shows them. They are in the page once and work without script.
 */
export function Sidebar({
  user,
  place,
}: {
  user: { fullName: string; admin: boolean };
  place: Place;
}) {
  const { contactUrl, counts } = useApp();
  const { pathname } = useLocation();
  const groups = getNavigation(user);
  const current = findCurrentLink(groups, place);

  const shown = groups.map(({ label, links, adminOnly }, index) => (
    <div key={label ?? index}>
      {label === null ? null : (
        <p className="nav-group" id={`nav-group-${index}`}>
          {label}
        </p>
      )}
      <ul aria-labelledby={label === null ? undefined : `nav-group-${index}`}>
        {links.map((link) => (
          <li key={link.to}>
            <Link
              to={link.to}
              reloadDocument={link.document}
              className="nav-link"
              aria-current={link !== current ? undefined : link.to === pathname ? "page" : "true"}
            >
              <Icon name={link.icon} />
              {counts[link.to] ? (
                <>
                  {`${link.label} `}
                  {/* Sighted users can tell by its style what it counts; this text is for others. */}
                  <span className={link.total ? undefined : adminOnly ? "waiting" : "pill"}>
                    {formatNumber(counts[link.to]!)}
                    <span className="sr-only">{link.total ? " in all" : " waiting"}</span>
                  </span>
                </>
              ) : (
                link.label
              )}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  ));
  const own = shown[0];
  const admin = shown.slice(1);

  return (
    <div className="sidebar">
      <nav aria-label="Main">
        {isAdminPage(place) && user.admin ? (
          <>
            {admin}
            <details className="nav-own">
              <summary className="nav-group">Your own pages</summary>
              {own}
            </details>
          </>
        ) : (
          shown
        )}
        <ul className="nav-end">
          {user.fullName === "" ? null : (
            <li className="nav-who">
              {"Signed in as "}
              <b>
                <bdi>{user.fullName}</bdi>
              </b>
            </li>
          )}
          {contactUrl && (
            <li>
              <a className="nav-link" href={contactUrl}>
                <Icon name="mail" />
                Get In Touch
              </a>
            </li>
          )}
          <li>
            <PostForm action="/logout" noValidate={false}>
              <button type="submit" className="nav-link">
                <Icon name="log-out" />
                Logout
              </button>
            </PostForm>
          </li>
        </ul>
      </nav>
    </div>
  );
}
