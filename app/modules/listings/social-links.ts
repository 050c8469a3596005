import type { SocialNetwork } from "./fields";

/** Where a name on each network lives, and the hosts that its full links may have. */
const NETWORKS: Record<
  SocialNetwork,
  { profile: (name: string) => string; hosts: RegExp; name: RegExp }
> = {
  tiktok: {
    profile: (name) => `https://www.tiktok.com/@${name}`,
    hosts: /(^|\.)tiktok\.com$/,
    name: /^[\w.]{1,30}$/,
  },
  instagram: {
    profile: (name) => `https://www.instagram.com/${name}`,
    hosts: /(^|\.)instagram\.com$/,
    name: /^[\w.]{1,40}$/,
  },
  xtwitter: {
    profile: (name) => `https://x.com/${name}`,
    hosts: /(^|\.)(x|twitter)\.com$/,
    name: /^\w{1,20}$/,
  },
  youtube: {
    profile: (name) => `https://www.youtube.com/@${name}`,
    hosts: /(^|\.)(youtube\.com|youtu\.be)$/,
    name: /^[\w.-]{1,60}$/,
  },
  facebook: {
    profile: (name) => `https://www.facebook.com/${name}`,
    hosts: /(^|\.)(facebook|fb)\.com$/,
    name: /^[\w.-]{1,80}$/,
  },
};

/** An http or https address without a user in it, or null. Anything else could run script where it is shown. */
export function webLink(typed: string): string | null {
  if (!/^https?:\/\/[^\s<>"\\/?#@]+([/?#][^\s<>"\\]*)?$/i.test(typed) || !URL.canParse(typed))
    return null;
  return typed;
}

/**
 * The link of a profile, from whatever people write: `@name`, `name`, `instagram.com/name`, or the full
 * link. Null when it is none of these.
 */
export function socialLink(network: SocialNetwork, typed: string): string | null {
  const { profile, hosts, name } = NETWORKS[network];
  const bare = typed.replace(/^@/, "");
  if (/^https?:/i.test(typed)) return webLink(typed);
  // "instagram.com/name": a link that lacks its beginning. A bare "name.com" may be a name, too.
  const [host = ""] = typed.toLowerCase().split("/");
  if (hosts.test(host)) return webLink(`https://${typed}`);
  return name.test(bare) ? profile(bare) : null;
}
