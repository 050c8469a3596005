import { Link } from "@remix-run/react";
import type { ReactNode } from "react";

import { Icon } from "~/components/ui/icon";

type TextLinkProps = {
  children: ReactNode;
  /** What the link is about, said to those who hear it: "Edit listing" about "Café X" is "Edit listing: Café X". */
  about?: string;
} & ({ to: string; href?: undefined } | { to?: undefined; href: string });

/**
 * A plain underlined link with a name that is unique on the page. `to` for our own pages; `href` for others, which get a
 * small arrow (https only) and never learn which page the person came from.
 */
export function TextLink({ children, about, to, href }: TextLinkProps) {
  const name = (
    <>
      {children}
      {about === undefined ? null : <span className="sr-only">: {about}</span>}
    </>
  );
  if (to !== undefined) {
    return (
      <Link to={to} discover="none">
        {name}
      </Link>
    );
  }
  return (
    <a href={href} rel="noreferrer">
      {name}
      {/^https?:/.test(href) ? <Icon name="arrow-up-right" /> : null}
    </a>
  );
}
