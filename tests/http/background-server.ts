/** A process with work after its responses, for background.test.ts: it ends by SIGTERM. */
import { configure } from "./configure";

configure({ LOG_LEVEL: "info" });
const { runAfterResponse } = await import("~/http/background.server");
const { drainAtEnd } = await import("~/http/drain.server");
const { AuthServiceError } = await import("~/integrations/supabase/auth.server");

drainAtEnd();
const request = new Request("https://dashboard.test/signup");
const server = setInterval(() => {}, 1_000);
process.once("SIGTERM", () => clearInterval(server));

runAfterResponse(request, {
  name: "slow",
  key: "",
  work: () => new Promise((resolve) => process.once("SIGTERM", () => setTimeout(resolve, 300))),
});

let attempts = 0;
runAfterResponse(request, {
  name: "outage",
  key: "",
  work: async () => {
    attempts += 1;
    if (attempts === 1) throw new AuthServiceError("unavailable", "");
  },
});
