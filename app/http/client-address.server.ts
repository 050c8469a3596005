import { isIP, isIPv4, isIPv6 } from "node:net";

/**
 * The visitor's address in the header of the proxies in front of this server: the one that the first of our
 * own proxies added. Proxies add the address of who connected to them at the end (X-Forwarded-For), or
 * replace the header. What is before it comes from the visitor, who can write anything.
 * @param proxies how many of our own proxies add an address
 * @returns null when there is no address at that place: the request did not come through the proxies
 */
export function findForwardedAddress(header: string, proxies: number): string | null {
  const entry = header.split(",").at(-proxies)?.trim() ?? "";
  // Some proxies add the port.
  const address =
    /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  return isIP(address) ? address : null;
}

/**
 * The part of an address that identifies one client: all of an IPv4 address, and the first half of
 * an IPv6 address, since a client has all 2^64 addresses with the same first half.
 */
export function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = readGroups(address);
  const [a, b, c, d, e, f, ...ipv4] = groups;
  if ([a, b, c, d, e].every((group) => group === 0) && f === 0xffff)
    return ipv4.flatMap((group) => [group >> 8, group & 255]).join(".");
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::`;
}

/** The eight numbers of an IPv6 address, however it is written. */
function readGroups(address: string): number[] {
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const read = (part: string) => part.split(":").filter(Boolean).flatMap(readGroup);
  const left = read(head);
  const right = read(tail ?? "");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => 0);
  return [...left, ...zeros, ...right];
}

/** The last two groups may be an IPv4 address. */
function readGroup(group: string): number[] {
  if (!isIPv4(group)) return [parseInt(group, 16)];
  const [a, b, c, d] = group.split(".").map(Number) as [number, number, number, number];
  return [a * 256 + b, c * 256 + d];
}
