import { describe, expect, it, onTestFinished, vi } from "vitest";

import { APP_URL, configure } from "./configure";

configure({ LOG_LEVEL: "silent" });
const { createScope, findSlowestService, requestLimit, runAction, runInBackground, runInScope } =
  await import("~/integrations/upstream/request-scope.server");
const { callUpstream, OutOfTime } = await import("~/integrations/upstream/call-upstream.server");
const { unavailable } = await import("~/http/errors.server");
const { runAfterResponse, settleBackgroundWork } = await import("~/http/background.server");

function limitTo(ms: number) {
  const before = requestLimit.ms;
  requestLimit.ms = ms;
  onTestFinished(() => void (requestLimit.ms = before));
}

/** Stops the clock and the timers of calls, so that a busy machine takes none of the time. */
function stopTime() {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException("too slow", "TimeoutError")), ms);
    return controller.signal;
  });
  onTestFinished(() => {
    timeout.mockRestore();
    vi.useRealTimers();
  });
}

const hang = (signal: AbortSignal) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error)),
  );
const call = (name: string, service: "database" | "stripe", limitMs = 60_000) =>
  callUpstream({ service, name, limitMs }, ({ signal }) => hang(signal));

describe("a request", () => {
  it("ends a call that takes all of its time, makes no other one, and knows who was slow", async () => {
    stopTime();
    const scope = createScope("r-1");
    await runInScope(scope, async () => {
      const slow = expect(call("supabase rpc slow", "database")).rejects.toThrow("too slow");
      await vi.advanceTimersByTimeAsync(requestLimit.ms);
      await slow;
      await expect(call("stripe charges.list", "stripe")).rejects.toBeInstanceOf(OutOfTime);
      expect(findSlowestService()).toBe("database");
    });
    expect([...scope.calls.values()]).toMatchObject([
      { name: "supabase rpc slow", count: 1, status: 0 },
    ]);
  });

  it("makes no other call after one that a timer has ended some milliseconds early", async () => {
    const early = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => AbortSignal.abort());
    onTestFinished(() => early.mockRestore());
    const fail = () =>
      callUpstream({ service: "database", name: "slow", limitMs: 60_000 }, ({ signal }) =>
        Promise.reject(signal.reason as Error),
      );
    await runInScope(createScope("r-8"), async () => {
      await expect(fail()).rejects.not.toBeInstanceOf(OutOfTime);
      await expect(fail()).rejects.toBeInstanceOf(OutOfTime);
    });
  });

  it("leaves a call its own, smaller limit, is not over then, and knows who was slow", async () => {
    limitTo(600_000);
    const scope = createScope("r-2");
    await runInScope(scope, async () => {
      await expect(call("supabase rpc slow", "database", 20)).rejects.toThrow();
      expect(findSlowestService()).toBe("database");
      expect(unavailable().message).toBe(
        "Our database is slow right now, so we stopped waiting. Please try again in a minute.",
      );
    });
    expect(scope.expired).toBe(false);
    expect(scope.failedCall).toMatchObject({ name: "supabase rpc slow", status: 0 });
  });

  it("doesn't blame a slow service for the failure of another one", async () => {
    const scope = createScope("r-7");
    const fail = (status: number) =>
      callUpstream({ service: "database", name: "x", limitMs: 60_000 }, async (attempt) => {
        attempt.status = status;
        throw new Error("failed");
      });
    await runInScope(scope, async () => {
      await expect(call("stripe charges.list", "stripe", 20)).rejects.toThrow();
      await expect(fail(409)).rejects.toThrow();
      expect(findSlowestService()).toBe("stripe");
      await expect(fail(503)).rejects.toThrow();
      expect(findSlowestService()).toBeNull();
    });
  });

  it("blames no service for a call that its caller has ended", async () => {
    const scope = createScope("r-8");
    await runInScope(scope, async () => {
      const ended = { service: "database", name: "x", limitMs: 60_000 } as const;
      await expect(
        callUpstream({ ...ended, signal: AbortSignal.timeout(20) }, ({ signal }) => hang(signal)),
      ).rejects.toThrow();
      expect(findSlowestService()).toBeNull();
    });
  });

  it("sums its calls by name, with the worst status", async () => {
    const scope = createScope("r-3");
    const answer = (status: number) =>
      callUpstream(
        { service: "database", name: "supabase select places", limitMs: 1_000 },
        async (attempt) => {
          attempt.status = status;
        },
      );
    await runInScope(scope, () => Promise.all([200, 503, 404].map(answer)));
    expect([...scope.calls.values()]).toMatchObject([
      { name: "supabase select places", count: 3, status: 503 },
    ]);
  });

  it("leaves time for its page after an action", async () => {
    stopTime();
    const scope = createScope("r-4");
    await runInScope(scope, async () => {
      await runAction(async () => {
        const slow = expect(call("supabase rpc slow", "database")).rejects.toThrow("too slow");
        await vi.advanceTimersToNextTimerAsync();
        await slow;
        await expect(call("supabase rpc more", "database")).rejects.toBeInstanceOf(OutOfTime);
      });
      await callUpstream({ service: "database", name: "page", limitMs: 1_000 }, async (attempt) => {
        attempt.status = 200;
      });
    });
    expect(scope.calls.get("page")).toMatchObject({ status: 200 });
  });
});

describe("work that no response waits for", () => {
  it("has no share in the time of the request, and its calls are none of the request’s", async () => {
    const scope = createScope("r-5");
    scope.deadline = 0;
    const made = await runInScope(scope, () =>
      runInBackground(() =>
        callUpstream({ service: "mail", name: "mail send", limitMs: 1_000 }, async () => "made"),
      ),
    );
    expect(made).toBe("made");
    expect(scope.calls.size).toBe(0);
  });

  it("is what begins after a response", async () => {
    const scope = createScope("r-6");
    let made: string | undefined;
    runInScope(scope, () => {
      runAfterResponse(new Request(`${APP_URL}/signup`), {
        name: "sign-up",
        key: "one",
        work: async () => {
          made = await callUpstream(
            { service: "auth", name: "supabase auth signup", limitMs: 1_000 },
            async () => "made",
          );
        },
      });
      scope.deadline = 0;
    });
    await settleBackgroundWork();
    expect(made).toBe("made");
  });
});
