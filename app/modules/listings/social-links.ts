import { parseWebLink } from "~/text/web-link";

import type { SocialNetwork } from "./fields";

/** The link of a profile name on each network, the hosts of its full links, and its valid names. */
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

/**
 * The link of a profile from what an owner types: `@name`, `name`, `instagram.com/name`, or the full
 * link. Null for anything else.
 */
export function parseSocialLink(network: SocialNetwork, typed: string): string | null {
  const { profile, hosts, name } = NETWORKS[network];
  const handle = typed.replace(/^@/, "");
  if (/^https?:/i.test(typed)) return parseWebLink(typed);
  // "instagram.com/name" lacks the scheme. What looks like a host of another site may be a name
  // that has a period.
  const [host = ""] = typed.toLowerCase().split("/");
  if (hosts.test(host)) return parseWebLink(`https://${typed}`);
  return name.test(handle) ? profile(handle) : null;
}
