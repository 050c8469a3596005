/** The line about an error that no loader or action has handled. */
import { expect, it, onTestFinished, vi } from "vitest";

import { APP_URL, configure } from "./configure";

configure({ LOG_LEVEL: "silent" });
const { handleError } = await import("~/entry.server");
const { log } = await import("~/http/log.server");
const { findScope } = await import("~/http/open-requests.server");

function watchLog() {
  const logged = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  onTestFinished(() => logged.mockRestore());
  return logged;
}

it("names the call that failed, its status, and what the page said", () => {
  const logged = watchLog();
  const args = { request: new Request(`${APP_URL}/listings/7`), params: { id: "7" }, context: {} };
  const call = { name: "supabase rpc my_dashboard", status: 503, ms: 5 };
  findScope(args).failedCall = call;
  handleError(new TypeError("no zoe@example.test"), args);
  expect(logged.mock.calls.map(([line]) => line)).toMatchObject([
    {
      route: "/listings/:id",
      status: 500,
      call,
      shown:
        "Something went wrong on our side. Please try again. If it keeps happening, let us know what you were doing.",
      reason: "no [email]",
    },
  ]);
});

it("is null for a page that doesn't exist", () => {
  const logged = watchLog();
  const args = { request: new Request(`${APP_URL}/nowhere`), params: {}, context: {} };
  handleError({ status: 404 }, args);
  expect(logged).not.toHaveBeenCalled();
});
