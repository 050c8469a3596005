import { onTestFinished, vi } from "vitest";

import { requestLimit } from "~/integrations/upstream/request-scope.server";

const TIMES_AS_LONG = 30;

/**
 * Gives each call of an outside service, and each request, thirty times as long, until the test ends. For tests that send
 * many requests at once, which a slow or busy machine does not answer within the app's deadlines.
 */
export function useLongDeadlines(): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const spy = vi
    .spyOn(AbortSignal, "timeout")
    .mockImplementation((ms) => timeout(ms * TIMES_AS_LONG));
  const { ms } = requestLimit;
  requestLimit.ms = ms * TIMES_AS_LONG;
  onTestFinished(() => {
    spy.mockRestore();
    requestLimit.ms = ms;
  });
}
