import { findSlowestService, type Service } from "~/integrations/upstream/request-scope.server";

/** What people call each service that a response can wait for. */
const NAMES: Readonly<Record<Service, string>> = {
  database: "Our database",
  auth: "Our sign-in service",
  stripe: "Our payment provider",
  google: "The address search",
  mail: "Our mail server",
  tracking: "Part of our system",
};

/**
 * Which service was slow, once the time of the request, or of one of its calls, is over: "Our
 * payment provider is slow right now". Null before that.
 */
export function describeSlowService(): string | null {
  const service = findSlowestService();
  return service && `${NAMES[service]} is slow right now`;
}
