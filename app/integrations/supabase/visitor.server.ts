import { AsyncLocalStorage } from "node:async_hooks";
import { isIP } from "node:net";

const visitor = new AsyncLocalStorage<string>();

/**
 * Runs the work of one request. Calls to the auth service in it say which visitor they are for, so
 * that the service's own limits count each visitor separately, and not our server as one visitor.
 * @param address the visitor's IP address
 */
export const forVisitor = <T>(address: string, work: () => T): T => visitor.run(address, work);

/** The address of the visitor that the current work is for; null when there is none. */
export function getVisitor(): string | null {
  const address = visitor.getStore();
  return address && isIP(address) ? address : null;
}
