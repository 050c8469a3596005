/** What routeLoader and routeAction do for every route, with routes made for these tests. */
import { json, redirect, type LoaderFunctionArgs } from "@remix-run/node";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { APP_URL, configure } from "./configure";

configure({ LOG_LEVEL: "silent" });
const { routeAction, routeLoader } = await import("~/http/route.server");
const { HttpError, notFound, tooManyRequests } = await import("~/http/errors.server");
const { AuthServiceError } = await import("~/integrations/supabase/auth.server");
const { DataError } = await import("~/integrations/supabase/data.server");
const { log } = await import("~/http/log.server");

type Handler = (args: LoaderFunctionArgs) => Promise<Response>;

/** The response of a loader or action, returned or thrown. */
async function respondTo(handler: Handler, request: Request): Promise<Response> {
  try {
    return await handler({ request, params: {}, context: {} });
  } catch (thrown) {
    if (thrown instanceof Response) return thrown;
    throw thrown;
  }
}

const get = (path = "/made-up") => new Request(`${APP_URL}${path}`);
const post = (fields: Record<string, string> = {}, init: RequestInit = {}) =>
  new Request(`${APP_URL}/made-up?x=1`, {
    method: "POST",
    body: new URLSearchParams(fields),
    ...init,
    headers: {
      "Sec-Fetch-Site": "same-origin",
      Origin: APP_URL,
      ...(init.headers as Record<string, string>),
    },
  });

interface ErrorPage {
  title: string;
  message: string;
  requestId: string;
  submittedForm: { action: string; fields: [string, string][] } | null;
}
const readErrorPage = async (response: Response) => (await response.json()) as ErrorPage;

const handled = vi.fn();
beforeEach(() => handled.mockClear());
const failingAction = (error: unknown) =>
  routeAction({ access: "open" }, async (): Promise<Response> => {
    handled();
    throw error;
  });

describe("every response", () => {
  it.each<[string, Handler, () => Request, number]>([
    ["a page's data", routeLoader({ access: "open" }, async () => json({})), get, 200],
    ["a redirect", routeLoader({ access: "open" }, async () => redirect("/")), get, 302],
    [
      "a thrown redirect",
      routeLoader({ access: "open" }, async () => {
        throw redirect("/");
      }),
      get,
      302,
    ],
    ["a missing session", routeLoader({ access: "signed in" }, async () => json({})), get, 302],
    [
      "a missing row",
      routeLoader({ access: "open" }, async () => {
        throw notFound();
      }),
      get,
      404,
    ],
    [
      "an unexpected failure",
      routeLoader({ access: "open" }, async () => {
        throw new Error("x");
      }),
      get,
      500,
    ],
    [
      "a form with errors",
      routeAction({ access: "open" }, async () => json({}, 400)),
      () => post(),
      400,
    ],
    [
      "a form of another site",
      failingAction(null),
      () => post({}, { headers: { "Sec-Fetch-Site": "cross-site" } }),
      403,
    ],
  ])("has the security headers and a request id: %s", async (_, handler, request, status) => {
    const { headers, ...response } = await respondTo(handler, request()).then((r) => ({
      headers: r.headers,
      status: r.status,
    }));
    expect(response.status).toBe(status);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "same-origin",
      "strict-transport-security": expect.stringContaining("max-age=") as string,
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  });

  it("has the cookies that the handler set, also when the handler failed", async () => {
    const outcomes = [
      async () => json({}),
      async () => redirect("/"),
      async () => {
        throw redirect("/");
      },
      async () => {
        throw notFound();
      },
      async () => {
        throw new Error("x");
      },
    ];
    for (const outcome of outcomes) {
      const loader = routeLoader<"open", Response>({ access: "open" }, ({ setCookie }) => {
        setCookie("one=1");
        setCookie("two=2");
        return outcome();
      });
      expect((await respondTo(loader, get())).headers.getSetCookie()).toEqual(["one=1", "two=2"]);
    }
  });
});

describe("a route that needs a session", () => {
  it.each(["signed in", "admin"] as const)(
    "redirects to the sign-in page with the requested path and does not run its handler (%s)",
    async (access) => {
      const loader = routeLoader({ access }, async () => json(handled()));
      const response = await respondTo(loader, get("/made-up?a=1&b=%2F"));
      expect(response.status).toBe(302);
      expect(response.headers.get("Location")).toBe(
        "/login?redirectTo=%2Fmade-up%3Fa%3D1%26b%3D%252F",
      );
      expect(handled).not.toHaveBeenCalled();
    },
  );
});

describe("a form", () => {
  const action = routeAction(
    { access: "open" },
    { save: async () => json(handled()), toString: async () => json(handled()) },
  );

  it("is handled by the handler of its intent", async () => {
    expect((await respondTo(action, post({ intent: "save" }))).status).toBe(200);
    expect(handled).toHaveBeenCalledOnce();
  });

  it.each([
    {},
    { intent: "" },
    { intent: "delete" },
    { intent: "constructor" },
    { intent: "valueOf" },
  ])("with an unknown intent is not handled: %j", async (fields) => {
    expect((await respondTo(action, post(fields as Record<string, string>))).status).toBe(400);
    expect(handled).not.toHaveBeenCalled();
  });

  it.each(["PUT", "PATCH", "DELETE"])("sent by %s is not handled", async (method) => {
    const response = await respondTo(action, post({ intent: "save" }, { method }));
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("POST");
    expect(handled).not.toHaveBeenCalled();
  });

  it.each([
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain",
    "application/json",
  ])("of another site is rejected before its body is read: %s", async (type) => {
    const body = new ReadableStream({
      pull: () => {
        throw new Error("was read");
      },
    });
    for (const headers of [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-origin", Origin: "null" },
    ]) {
      const request = new Request(`${APP_URL}/made-up`, {
        method: "POST",
        body,
        duplex: "half",
        headers: { ...headers, "Content-Type": type },
      } as RequestInit);
      expect((await respondTo(action, request)).status).toBe(403);
    }
    expect(handled).not.toHaveBeenCalled();
  });

  it("from a browser that sends no origin needs a valid form token", async () => {
    const silent = { headers: { "Content-Type": "application/x-www-form-urlencoded" } };
    const request = new Request(`${APP_URL}/made-up`, {
      method: "POST",
      body: "intent=save&csrf=guess",
      ...silent,
    });
    expect((await respondTo(action, request)).status).toBe(403);
    expect(handled).not.toHaveBeenCalled();
  });
});

describe("a failure", () => {
  const typed = {
    intent: "save",
    name: "Café X",
    about: "line\nline",
    password: "hunter2",
    confirm_password: "hunter2",
    csrf: "abc",
    token_hash: "link",
  };

  it.each<[string, unknown, number, string]>([
    [
      "no answer of the database",
      new DataError("unavailable", "fetch failed 10.1.2.3", ""),
      503,
      "unknown",
    ],
    [
      "no answer of the auth service",
      new AuthServiceError("unavailable", "unreachable"),
      503,
      "unknown",
    ],
    ["a bug", new TypeError("cannot read sb_secret_x of undefined"), 500, "unknown"],
    ["a thrown text", "thrown text with select * from users", 500, "unknown"],
    [
      "an SQL error",
      new DataError("unknown", 'column "x" of relation "places" does not exist', "42703"),
      500,
      "unknown",
    ],
    ["too many attempts", tooManyRequests(300), 429, "not saved"],
    [
      "too many attempts for the auth service",
      new AuthServiceError("limited", "over_request_rate_limit"),
      429,
      "not saved",
    ],
    ["a newer version", new DataError("conflict", "duplicate key", "23505"), 409, "not saved"],
    ["a missing row", new DataError("missing", "0 rows", "PGRST116"), 404, "not saved"],
    [
      "a rule of the database",
      new DataError("refused", "Please choose another day.", "P0001"),
      400,
      "not saved",
    ],
    [
      "a constraint",
      new DataError(
        "refused",
        'new row for relation "places" violates check constraint "c"',
        "23514",
      ),
      400,
      "not saved",
    ],
  ])(
    "shows the submitted values without passwords, and says whether they were saved: %s",
    async (_, error, status, became) => {
      const response = await respondTo(failingAction(error), post(typed));
      const { title, message, submittedForm, requestId } = await readErrorPage(response);
      expect(response.status).toBe(status);
      expect(submittedForm).toEqual({
        action: "/made-up?x=1",
        fields: [
          ["intent", "save"],
          ["name", "Café X"],
          ["about", "line\nline"],
          ["token_hash", "link"],
        ],
        labels: { byField: {}, codes: [] },
      });
      expect(message).toMatch(
        became === "unknown" ? /can’t tell whether.*safe/ : /Nothing was saved\./,
      );
      expect(`${title} ${message}`).not.toMatch(
        /hunter2|relation|column|constraint|select|sb_secret|10\.1\.2\.3|duplicate|Error/,
      );
      expect(requestId).toBe(response.headers.get("X-Request-Id"));
    },
  );

  it("says that what was typed is below, where something was", async () => {
    const say = async (error: unknown, fields: Record<string, string>) =>
      (await readErrorPage(await respondTo(failingAction(error), post(fields)))).message;
    const errors = [tooManyRequests(300), new DataError("unavailable", "fetch failed", "")];
    for (const error of errors) {
      expect(await say(error, typed)).toContain("What you typed is below");
      expect(await say(error, { intent: "pay", version: "3", name: "" })).toMatch(
        /Nothing was saved\.$|tell whether your form was saved, but you can safely submit it again\./,
      );
    }
  });

  it.each<[string, unknown, number]>([
    [
      "a user without permission",
      new DataError("denied", "permission denied for table places", "42501"),
      403,
    ],
    ["a status of its own", new HttpError(410, "Gone", "It ended."), 410],
  ])("does not offer to send the form again when that can’t help: %s", async (_, error, status) => {
    const response = await respondTo(failingAction(error), post(typed));
    expect(response.status).toBe(status);
    const { message, submittedForm } = await readErrorPage(response);
    expect(submittedForm).toBeNull();
    expect(message).not.toMatch(/permission denied|rows/);
  });

  it("says when to try again after too many attempts", async () => {
    const waits = await Promise.all(
      [1, 59, 60, 61, 900].map(async (seconds) => {
        const response = await respondTo(failingAction(tooManyRequests(seconds)), post());
        expect(response.headers.get("Retry-After")).toBe(String(seconds));
        return /wait (.*?) and/.exec((await readErrorPage(response)).message)![1];
      }),
    );
    expect(waits).toEqual(["a minute", "a minute", "a minute", "2 minutes", "15 minutes"]);
  });

  it("is logged with its request id and without secrets", async () => {
    const logged = vi.spyOn(log(), "error").mockImplementation(() => undefined);
    const response = await respondTo(
      failingAction(new Error("no user zoe@example.test with token=s3cret")),
      post(typed),
    );
    const [entry] = logged.mock.calls[0]! as [Record<string, string>];
    expect(entry["requestId"]).toBe(response.headers.get("X-Request-Id"));
    expect(JSON.stringify(entry)).not.toMatch(/zoe@|s3cret|hunter2|Café/);
    expect(entry["stack"]).toContain("route.test.ts");
  });

  it.each([
    ["a limit", "limited", "over_email_send_rate_limit", 429, "warn"],
    ["an outage", "unavailable", "brand_new_code", 500, "warn"],
    ["a new code", "unknown", "brand_new_code", 400, "error"],
  ] as const)(
    "of the auth service is logged with what it said and what was shown: %s",
    async (_, failure, code, upstreamStatus, level) => {
      const logged = vi.spyOn(log(), level).mockImplementation(() => undefined);
      logged.mockClear();
      const reason = "Rate of zoe@example.test exceeded";
      const error = new AuthServiceError(failure, code, 60, reason, upstreamStatus);
      const response = await respondTo(failingAction(error), post(typed));
      expect(logged).toHaveBeenCalledOnce();
      expect(logged.mock.calls[0]![0]).toMatchObject({
        status: response.status,
        shown: (await readErrorPage(response)).message,
        failure,
        code,
        upstreamStatus,
        reason: "Rate of [email] exceeded",
      });
    },
  );

  it.each([
    ["the sentence of its code", "dates_gone", "These dates are sold out. Nothing was saved."],
    [
      "a general sentence for an unknown code",
      "something_new",
      "Something in the form can’t be saved",
    ],
    [
      "a general sentence for a name of Object",
      "constructor",
      "Something in the form can’t be saved",
    ],
    [
      "a general sentence for anything but a code",
      "Please choose.",
      "Something in the form can’t be saved",
    ],
  ])("shows %s when SQL refused a value", async (_, raised, sentence) => {
    const refusals = { dates_gone: "These dates are sold out." };
    const fail = async (): Promise<Response> => {
      throw new DataError("refused", raised, "P0001");
    };
    const action = await respondTo(routeAction({ access: "open", refusals }, fail), post(typed));
    expect(action.status).toBe(400);
    expect((await readErrorPage(action)).message).toContain(sentence);

    const loader = await respondTo(routeLoader({ access: "open", refusals }, fail), get());
    expect((await readErrorPage(loader)).message).toContain(sentence.replace(/ Nothing.*/, ""));
  });
});
