/**
 * An http or https address that names no user, exactly as typed. Null for anything else: it could
 * run a script, or lead to another host than it seems to, where it is shown.
 */
export function parseWebLink(typed: string): string | null {
  if (!/^https?:\/\/[^\s<>"\\/?#@]+([/?#][^\s<>"\\]*)?$/i.test(typed) || !URL.canParse(typed))
    return null;
  return typed;
}
