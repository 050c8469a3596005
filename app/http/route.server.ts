import type { ActionFunctionArgs, LoaderFunctionArgs, TypedResponse } from "@remix-run/node";

import type { Db } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";
import { liftDeadline, runAction } from "~/integrations/upstream/request-scope.server";

import { readBody, readForm, SMALL_FORM_BYTES } from "./body.server";
import {
  detectFormSender,
  findClosing,
  hasValidFormToken,
  isCutOff,
  isFormOfAnother,
} from "./csrf.server";
import {
  enterRoute,
  forgetSession,
  leadToTurnOn,
  requestSignIn,
  type Access,
} from "./enter-route.server";
import { formExpired, HttpError } from "./errors.server";
import { redirectWithFlash } from "./flash.server";
import { readField, refillResponse, toRefillForm, type FormErrorData } from "./form.server";
import { dropToken } from "./handoff.server";
import { deleteStash, readEndedSessionOwner } from "./form-stash.server";
import { log, type Log } from "./log.server";
import { paths } from "./paths";
import type { Refusals } from "./refusals.server";
import { rememberPosted, respond, type PostedForm } from "./respond.server";
import type { RouteArgs } from "./route-args.server";
import {
  readSessionOwner,
  type Session,
  type SessionState,
  type UnfinishedSession,
} from "./session.server";
import { REFILL, REFILL_STASH, type FormLabels } from "./submitted-form";

/**
 * The only builders of loaders and actions. A route states its access and gets what it needs. What
 * a route could forget is done here: the access check, the form's origin, the body's size limit,
 * the refreshed cookie, and the pages for failures. A contract test fails on a route without them.
 */

/** The parameters of a URL as the router found them. */
type RawParams = Readonly<Record<string, string | undefined>>;

/** How a route parses each parameter of its URL. A parser throws a 404 for an invalid one. */
type ParamParsers = Readonly<Record<string, (text: string | undefined) => unknown>>;

type Parsed<P extends ParamParsers> = { readonly [Name in keyof P]: ReturnType<P[Name]> };

export interface RouteContext<A extends Access, P = object> {
  request: Request;
  url: URL;
  params: P;
  /** Null only where access is "open". */
  session: A extends "open" ? Session | null : Session;
  /**
   * "unknown" while Supabase does not answer, so that no one knows whether the user is signed in.
   */
  sessionState: SessionState["kind"];
  /** The session whose second step is due; null when there is none. */
  unfinishedSession: UnfinishedSession | null;
  /** Acts with the rights of the user. */
  db: Db;
  log: Log;
  /** Adds a Set-Cookie value to the response, whatever the response will be. */
  setCookie: (value: string) => void;
}

export interface ActionContext<A extends Access, P = object> extends RouteContext<A, P> {
  form: FormData;
}

interface Options<A extends Access, P extends ParamParsers> {
  access: A;
  /** Parses the parameters of the URL, after the access check. */
  params?: P;
  /** Sentences for the codes that SQL raises and the handler does not handle. */
  refusals?: Refusals;
  /** For an address without a page, such as a file: its failures are answered with a document of their own. */
  page?: false;
}

interface ActionOptions<
  A extends Access,
  P extends ParamParsers,
  F extends Response,
> extends Options<A, P> {
  /** The labels of the forms' fields, for pages that show what was typed without the form. */
  labels?: FormLabels;
  /** Answers the intent `refill` where a page needs more than the fields. It must write nothing. */
  refill?: ActionHandler<A, P, F>;
  /**
   * False for a form that script sends on its own. It is not stashed when its session has ended,
   * and the response is a sentence when it belongs to another account.
   */
  stash?: false;
  /** True for a form that does the same for every account: signing out. */
  anyAccount?: true;
}

/** A route without parsers has no parameters. */
type ParamsOf<P extends ParamParsers> = string extends keyof P ? object : Parsed<P>;
type ActionHandler<A extends Access, P extends ParamParsers, R extends Response> = (
  context: ActionContext<A, ParamsOf<P>>,
) => Promise<R>;

const ACCESS = Symbol.for("dashboard.route.access");

/**
 * The access of a loader or an action; undefined when it was not made here. "signed" is for
 * machines, which sign what they send with a shared secret.
 */
export function getAccess(handler: unknown): Access | "signed" | undefined {
  return typeof handler === "function"
    ? (handler as { [ACCESS]?: Access | "signed" })[ACCESS]
    : undefined;
}

/**
 * Makes a loader. Its handler runs only for users who have the access.
 * @param options `meanwhile` begins work that needs no session while the session is looked up, and
 * must not fail. `keepsToken` is for a page that takes a `token` of its own, and for the root,
 * which is loaded with each page
 */
export function routeLoader<
  A extends Access,
  R extends Response,
  P extends ParamParsers = ParamParsers,
  M = undefined,
>(
  options: Options<A, P> & { meanwhile?: () => M; keepsToken?: true },
  handler: (context: RouteContext<A, ParamsOf<P>> & { meanwhile: M }) => Promise<R>,
) {
  const { refusals, page } = options;
  const loader = (args: LoaderFunctionArgs): Promise<R> =>
    respond(
      args,
      async (cookies) => {
        const meanwhile = options.meanwhile?.() as M;
        const context = await createContext(args, options, cookies);
        if (options.access === "open" && !options.keepsToken)
          dropToken(context.request, context.url);
        const response = handler({ ...context, meanwhile });
        return requireOwnDownload(
          args.request,
          await response.catch((failure) => leadToTurnOn(failure, context)),
        );
      },
      () => ({ refusals, page }),
    );
  return Object.assign(loader, { [ACCESS]: options.access });
}

/**
 * Makes the loader of an address that only takes messages, for people who open it in a browser.
 * @param accepts a sentence that says what it accepts
 */
export const postOnlyLoader = (accepts: string) =>
  routeLoader({ access: "open", page: false }, async () => {
    throw new HttpError(405, "There’s no page at this address", accepts, { Allow: "POST" });
  });

/**
 * Makes an action, from one handler or from one for each `intent` of the page's forms. The form is
 * read with a size limit (a small one where anyone may send it) and must come from a page of ours. When its session has ended it is
 * stashed, and comes back after signing in by the intent `refill`, which every action answers with
 * the form as it was submitted.
 */
export function routeAction<
  A extends Access,
  R extends Response,
  F extends Response = TypedResponse<FormErrorData>,
  P extends ParamParsers = ParamParsers,
>(
  options: ActionOptions<A, P, F>,
  handlers: ActionHandler<A, P, R> | Record<string, ActionHandler<A, P, R>>,
) {
  const { labels, refusals, page } = options;
  type Context = ActionContext<A, ParamsOf<P>>;
  // The default response has the type F wherever F is not stated.
  const refill =
    options.refill ?? (async ({ form }: Context) => refillResponse(form) as unknown as F);

  async function handle(context: Context): Promise<R> {
    const { form, request, setCookie } = context;
    try {
      return await findHandler(handlers, form)(context);
    } catch (error) {
      if (options.stash === false) throw error;
      // The session ended after it was verified.
      if (error instanceof DataError && error.failure === "signed-out")
        throw await requestSignIn(request, { form, labels }, setCookie);
      return leadToTurnOn(error, context, { form, labels });
    }
  }

  async function handlePosted(args: RouteArgs, form: FormData, cookies: string[]): Promise<R | F> {
    const posted = options.stash === false ? undefined : { form, labels };
    const context = { ...(await createContext(args, options, cookies, posted)), form };
    if (form.get("intent") === REFILL) {
      const deleted = await deleteStash(args.request, readField(form, REFILL_STASH));
      if (deleted) context.setCookie(deleted);
      return await refill({ ...context, form: toRefillForm(form) });
    }
    const response = await handle(context);
    if (response.status < 400) forgetSession(args);
    return response;
  }

  const action = (args: ActionFunctionArgs): Promise<R | F> => {
    let posted: PostedForm | undefined;
    return respond<R | F>(
      args,
      async (cookies) => {
        const form = await readTrustedForm(args.request, options.access);
        if (!options.anyAccount) await requireOwnForm(args.request, form, options);
        posted = { form, labels };
        rememberPosted(args, posted);
        return runAction(() => handlePosted(args, form, cookies));
      },
      () => ({ posted, refusals, page }),
    );
  };
  return Object.assign(action, { [ACCESS]: options.access });
}

/**
 * Makes an action for a machine that signs what it sends. There is no form, session, or page: the
 * signature (over the body exactly as it was sent, or in the URL) replaces their checks.
 * @param verify returns the message; null when its signature is not valid
 * @param handler handles the message. When it throws, the status says whether sending again helps
 *   (5xx)
 */
export function signedAction<M, R extends Response>(
  verify: (body: string, headers: Headers, url: URL) => M | null,
  handler: (message: M, context: { log: Log }) => Promise<R>,
) {
  const action = (args: ActionFunctionArgs): Promise<R> =>
    respond(args, async () => {
      const { request } = args;
      requirePost(request, "This address only accepts signed messages.");
      liftDeadline();
      const body = new TextDecoder().decode(await readBody(request));
      const message = verify(body, request.headers, new URL(request.url));
      if (message === null)
        throw new HttpError(
          400,
          "That was not signed",
          "This address only accepts messages with a recent signature of their exact text.",
        );
      return handler(message, { log: log() });
    });
  return Object.assign(action, { [ACCESS]: "signed" as const });
}

/**
 * Makes the action of "Leave quickly". It finds no session and reads no form, so that it answers at
 * once, also during an outage and on a page whose form token is stale. Without these checks,
 * another site could only sign someone out of this browser; where the browser says that the form
 * comes from another site, it can't even do that.
 */
export function exitAction<R extends Response>(
  handler: (context: Pick<RouteContext<"open">, "request" | "setCookie">) => Promise<R>,
) {
  const action = (args: ActionFunctionArgs): Promise<R> =>
    respond(args, async (cookies) => {
      const { request } = args;
      requirePost(request, "Please use the button.");
      if (request.headers.get("Sec-Fetch-Site") === "cross-site") throw foreignForm();
      const setCookie = (value: string) => void cookies.push(value);
      return handler({ request, setCookie });
    });
  return Object.assign(action, { [ACCESS]: "open" as const });
}

function requirePost(request: Request, hint: string): void {
  if (request.method !== "POST")
    throw new HttpError(405, "That link or button didn’t work", hint, { Allow: "POST" });
}

const foreignForm = () =>
  new HttpError(
    403,
    "We couldn’t verify that form",
    "Nothing was changed. Please open the page again and submit the form from there.",
  );

const cutOffForm = () =>
  new HttpError(
    400,
    "This page hadn’t loaded completely",
    "Nothing was saved. Please go back, load the page again, and send the form once all of it is there.",
  );

/**
 * Reads a form that was sent from a page of ours.
 * @throws HttpError 405 for other methods, 403 for other sites' forms, 400 for one that is cut off, and those of readForm
 */
async function readTrustedForm(request: Request, access: Access): Promise<FormData> {
  requirePost(request, "Please use the form.");
  // Before the body is read: another site's form is rejected whatever its encoding.
  const sender = detectFormSender(request);
  if (sender === "another site") throw foreignForm();
  const form = await readForm(request, access === "open" ? SMALL_FORM_BYTES : undefined);
  if (isCutOff(form)) throw cutOffForm();
  // Without any cookie there is no session, and so no rights: the form is only shown again.
  const isHarmless = access !== "open" && !request.headers.has("Cookie");
  if (sender === "unknown" && !isHarmless && !(await hasValidFormToken(request, form)))
    throw foreignForm();
  return form;
}

/**
 * Rejects a form that was opened in another account than the one in use here now (such as in a tab
 * that was left open), or before someone left quickly or signed out. What was typed into it is
 * neither saved nor shown: it may be someone else's.
 * @throws HttpError 403, or to script a redirect (rejectForm); a sentence with that status to script that sends
 *   forms by itself
 */
async function requireOwnForm(
  request: Request,
  form: FormData,
  { access, stash }: { access: Access; stash?: false },
): Promise<void> {
  // Where a session is needed and has ended, the form would be stashed for its user.
  const findAccount = access === "open" ? readSessionOwner : readEndedSessionOwner;
  const account = await findAccount(request);
  if (account !== null) {
    if (!(await isFormOfAnother(request, form, account))) return;
    if (stash === false) throw sayOfAnother();
    return rejectForm(request, formOfAnother(), paths.home());
  }
  const closing = await findClosing(request, form);
  if (closing === null) return;
  if (stash === false) throw sayOfAnother();
  // After signing out, a form of an account is stashed for that account.
  if (closing === "left quickly" || access === "open")
    return rejectForm(request, formExpired(), paths.login());
}

/**
 * A failure of a form of someone else. Script would show it within the page that it has, with the name of who was signed
 * in before: it gets a document, which has the failure as its notice.
 */
async function rejectForm(request: Request, failure: HttpError, path: string): Promise<never> {
  if (request.headers.get("Sec-Fetch-Dest") !== "empty") throw failure;
  const text = `${failure.title}. ${failure.message}`;
  const response = await redirectWithFlash(path, { tone: "problem", text });
  response.headers.set("X-Remix-Reload-Document", "true");
  throw response;
}

const formOfAnother = () =>
  new HttpError(
    403,
    "This form was opened in another account",
    "This browser has been used with a different account since, so nothing was saved. Please open the page again and fill in the form there.",
  );

/** The same as a sentence, for a draft of such a form. */
export const sayOfAnother = () =>
  say(
    "This form was opened in another account, so it isn’t saved as a draft. To submit it, first sign in to that account in another tab.",
    403,
  );

/** A response of one sentence, which script shows in a page that stays open. */
export const say = (sentence: string, status: number, headers: Record<string, string> = {}) =>
  new Response(sentence, {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", ...headers },
  });

function findHandler<H>(handlers: H | Record<string, H>, form: FormData): H {
  if (typeof handlers === "function") return handlers;
  const byIntent = handlers as Record<string, H>;
  const intent = form.get("intent");
  if (typeof intent === "string" && Object.hasOwn(byIntent, intent)) return byIntent[intent]!;
  throw new HttpError(
    400,
    "Something’s wrong with this form",
    "Please go back, reload the page and submit it again.",
  );
}

/**
 * A response, unless it is a file and another site opened its address. A window in which a download
 * begins stays connected to the page that opened it; a window in which a page opens does not
 * (Cross-Origin-Opener-Policy). By that difference, any site could tell whether someone is signed
 * in here.
 * @throws HttpError 403
 */
async function requireOwnDownload<R extends Response>(request: Request, response: R): Promise<R> {
  const site = request.headers.get("Sec-Fetch-Site");
  if (site !== "cross-site" && site !== "same-site") return response;
  if (!response.headers.has("Content-Disposition")) return response;
  await response.body?.cancel();
  throw new HttpError(
    403,
    "We don’t start downloads from other sites",
    "Please open your dashboard and download the file there.",
  );
}

/** Checks the access, parses the parameters, and makes what a handler gets. */
async function createContext<A extends Access, P extends ParamParsers>(
  args: RouteArgs,
  { access, params: parsers }: Options<A, P>,
  cookies: string[],
  posted?: PostedForm,
): Promise<RouteContext<A, ParamsOf<P>>> {
  const { request } = args;
  const setCookie = (value: string) => void cookies.push(value);
  const state = await enterRoute(args, access, setCookie, posted);
  return {
    request,
    url: new URL(request.url),
    params: parseParams(args.params, parsers),
    session: (state.kind === "active" ? state.session : null) as RouteContext<A>["session"],
    sessionState: state.kind,
    unfinishedSession: state.kind === "second step due" ? state.session : null,
    db: state.db,
    log: log(),
    setCookie,
  };
}

function parseParams<P extends ParamParsers>(raw: RawParams, parsers: P | undefined): ParamsOf<P> {
  const parsed = Object.entries(parsers ?? {}).map(([name, parse]) => [name, parse(raw[name])]);
  return Object.fromEntries(parsed) as ParamsOf<P>;
}
