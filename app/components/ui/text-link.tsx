import { Link } from "react-router-dom";

import { Icon } from "~/components/ui/icon";
import { isolate } from "~/text/isolate";

type TextLinkProps = {
  children: string;
  /**
   * Makes the accessible name unique on the page: "Edit listing" about "Café X" is "Edit listing:
   * Café X".
   */
  about?: string;
} & ({ to: string; href?: undefined } | { to?: undefined; href: string });

/**
 * An underlined link: `to` for our own pages; `href` for others, which get an arrow (https only). They get no
 * referrer, as no page of ours sends one to another site.
 */
export function TextLink({ children, about, to, href }: TextLinkProps) {
  // A label and not hidden text: browsers put a space before hidden text, "Edit listing : Café X".
  const name = about === undefined ? undefined : `${children}: ${about}`;
  return to === undefined ? (
    <a href={href} aria-label={name}>
      {isolate(children)}
      {href.startsWith("https:") ? <Icon name="arrow-up-right" /> : null}
    </a>
  ) : (
    <Link to={to} aria-label={name}>
      {isolate(children)}
    </Link>
  );
}
