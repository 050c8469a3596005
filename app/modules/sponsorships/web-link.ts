import { webLink } from "~/modules/listings/social-links";

/** A web address as people type it: "example.com/menu" becomes a URL. Null when it is not one. */
export function toWebLink(typed: string): string | null {
  return (
    webLink(typed) ??
    (/^[\w-]+(\.[\w-]+)+([/?#]|$)/.test(typed) ? webLink(`https://${typed}`) : null)
  );
}
