import { Link } from "@remix-run/react";

import { Icon } from "~/components/ui/icon";

type TextLinkProps = {
  children: string;
  /** What the link is about, said to those who hear it: "Edit listing" about "Café X" is "Edit listing: Café X". */
  about?: string;
} & ({ to: string; href?: undefined } | { to?: undefined; href: string });

/**
 * A plain underlined link with a name that is unique on the page. `to` for our own pages; `href` for others, which get a
 * small arrow (https only) and never learn which page the person came from.
 */
export function TextLink({ children, about, to, href }: TextLinkProps) {
  // A label and not hidden words in the link: browsers put a space before hidden words, "Edit listing : Café X".
  const name = about === undefined ? undefined : `${children}: ${about}`;
  return to === undefined ? (
    <a href={href} rel="noreferrer" aria-label={name}>
      {children}
      {href.startsWith("https:") ? <Icon name="arrow-up-right" /> : null}
    </a>
  ) : (
    <Link to={to} discover="none" aria-label={name}>
      {children}
    </Link>
  );
}
