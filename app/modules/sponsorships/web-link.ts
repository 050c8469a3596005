import { parseWebLink } from "~/text/web-link";

/** A web address as people type it: "example.com/menu" becomes a URL. Null when it is not one. */
export function toWebLink(typed: string): string | null {
  return (
    parseWebLink(typed) ??
    (/^[\w-]+(\.[\w-]+)+([/?#]|$)/.test(typed) ? parseWebLink(`https://${typed}`) : null)
  );
}
