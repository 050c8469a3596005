import { BlockList, isIPv6 } from "node:net";

import { env } from "~/env.server";

import { findForwardedAddress } from "./client-address.server";
import { log } from "./log.server";

/** The headers in which proxies pass a visitor's address. */
const FORWARDED_HEADERS = [
  "forwarded",
  "x-forwarded-for",
  "x-real-ip",
  "cf-connecting-ip",
  "true-client-ip",
  "fastly-client-ip",
  "fly-client-ip",
  "x-client-ip",
];
/** Peers that are remembered with the visitor they forwarded for. */
const MAX_PEERS = 1_000;

const NO_HEADER =
  "A proxy passes requests on, but TRUSTED_IP_HEADER is not set: all visitors look like one visitor and share one limit. Set it to the header in which the proxy passes the visitor’s address.";

const NO_ADDRESS =
  "TRUSTED_IP_HEADER has no IP address at the place that TRUSTED_PROXIES says: all visitors look like one visitor and share one limit. Set both to match what your proxies send.";

const BEHIND_PUBLIC =
  "At the place that TRUSTED_PROXIES says, TRUSTED_IP_HEADER has a private address, and a public one before it. The private address is probably that of one of your proxies, so all visitors look like one visitor and share one limit. Set TRUSTED_PROXIES to the number of proxies that add an address.";

const OTHER_HEADER =
  "A proxy passes requests on without the header that TRUSTED_IP_HEADER names: all visitors look like one visitor and share one limit. Set it to the header in which the proxy passes the visitor’s address.";

const privateNetworks = new BlockList();
for (const [network, prefix] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  privateNetworks.addSubnet(network, prefix);
for (const [network, prefix] of [
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  privateNetworks.addSubnet(network, prefix, "ipv6");

const forwardedBy = new Map<string, string>();
let warning: string | null = null;

/**
 * Notices a proxy that the configuration does not know, or describes wrongly. A forwarded header proves little, since
 * anyone can send one. It comes from a proxy when its sender has a private address, or has passed on
 * requests of different visitors.
 */
export function noticeProxy(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  peer: string,
): void {
  if (warning !== null) return;
  const { trustedIpHeader, trustedProxies } = env();
  const trusted = trustedIpHeader === null ? undefined : headers[trustedIpHeader];
  if (trustedIpHeader !== null && trusted !== undefined) {
    const find = (proxies: number) => findForwardedAddress(String(trusted), proxies);
    const chosen = find(trustedProxies);
    const before = find(trustedProxies + 1);
    if (chosen === null) warn(trustedIpHeader, NO_ADDRESS);
    else if (before !== null && isPrivate(chosen) && !isPrivate(before))
      warn(trustedIpHeader, BEHIND_PUBLIC);
    return;
  }
  const header = FORWARDED_HEADERS.find((name) => headers[name] !== undefined);
  if (!header) return;
  const visitor = String(headers[header]);
  const earlier = forwardedBy.get(peer);
  if (!isPrivate(peer) && (earlier === undefined || earlier === visitor)) {
    if (forwardedBy.size < MAX_PEERS) forwardedBy.set(peer, visitor);
    return;
  }
  forwardedBy.clear();
  warn(header, trustedIpHeader === null ? NO_HEADER : OTHER_HEADER);
}

function warn(header: string, text: string): void {
  warning = text;
  log().warn({ header }, text);
}

function isPrivate(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return privateNetworks.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
}

/** What is wrong with the configuration, when a proxy was noticed; otherwise null. */
export function getProxyWarning(): string | null {
  return warning;
}
