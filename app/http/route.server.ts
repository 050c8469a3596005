import { randomUUID } from "node:crypto";

import {
  json,
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type TypedResponse,
} from "@remix-run/node";

import { withInteractiveTimeout } from "~/integrations/stripe/stripe-fetch.server";
import { AuthServiceError } from "~/integrations/supabase/auth.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";

import { readBody, readForm } from "./body.server";
import { endedCookie, expireCookie, formCookie, readCookie, sessionCookie } from "./cookies.server";
import { hasValidFormToken, FORM_TOKEN_FIELD, detectFormSender } from "./csrf.server";
import {
  forbidden,
  HttpError,
  notFound,
  signInRequired,
  tooManyRequests,
  unavailable,
  type ErrorPageData,
} from "./errors.server";
import { redirectWithFlash } from "./flash.server";
import { readField, toRefillForm, refillResponse, type FormErrorData } from "./form.server";
import { deleteStash, readEndedSessionOwner, stashForm } from "./form-stash.server";
import { acceptHandoff } from "./handoff.server";
import { readSecretParam } from "./prepare-request.server";
import { REQUEST_ID_HEADER } from "./inner-headers.server";
import { log, redactSecrets, type Log } from "./log.server";
import { paths } from "./paths";
import { setSecurityHeaders } from "./security-headers.server";
import {
  findSession,
  serializeRenewedSession,
  readSessionOwner,
  type Session,
  type SessionState,
} from "./session.server";
import {
  toOriginalFields,
  isSecretField,
  isUserField,
  REFILL,
  REFILL_STASH,
  pickFormLabels,
  type FormLabels,
  type PostedField,
  type SubmittedForm,
} from "./submitted-form";

/**
 * The one builder of loaders and actions. A route states its access and gets what it needs; everything
 * that a route could forget (the guard, the form's origin, the body's cap, the refreshed cookie,
 * failures in words) happens here. A contract test fails on a route that was not made by it.
 */

export type Access = "open" | "signed in" | "admin";

/** The parameters of a URL as the router found them. */
type RawParams = Readonly<Record<string, string | undefined>>;

/** How a route reads each parameter of its URL. A parser throws for what can't be one (a 404). */
export type ParamParsers = Readonly<Record<string, (text: string | undefined) => unknown>>;

type Parsed<P extends ParamParsers> = { readonly [Name in keyof P]: ReturnType<P[Name]> };

export interface RouteContext<A extends Access, P = RawParams> {
  request: Request;
  url: URL;
  params: P;
  /** Null only where access is "open". */
  session: A extends "open" ? Session | null : Session;
  /** Whether somebody is signed in; "unknown" while the outside does not answer. */
  sessionState: SessionState["kind"];
  /** Acts with the person's own rights. */
  db: Db;
  log: Log;
  /** Adds a Set-Cookie value to the response, whatever the response will be. */
  setCookie: (value: string) => void;
}

export interface ActionContext<A extends Access, P = RawParams> extends RouteContext<A, P> {
  form: FormData;
}

interface Options<A extends Access, P extends ParamParsers> {
  access: A;
  /** Parses the parameters of the URL, once, for those who have the access. */
  params?: P;
}

interface ActionOptions<
  A extends Access,
  P extends ParamParsers,
  F extends Response,
> extends Options<A, P> {
  /** What people call the fields of its forms: they are shown so where a form is kept, or could not be handled. */
  words?: FormLabels;
  /** Fills the form in again, for a page that needs more for it than the fields. It may write nothing. */
  refill?: ActionHandler<A, P, F>;
}

/** Without parsers a route gets the parameters as they are. */
type ParamsOf<P extends ParamParsers> = string extends keyof P ? RawParams : Parsed<P>;
type LoaderHandler<A extends Access, P extends ParamParsers, R extends Response> = (
  context: RouteContext<A, ParamsOf<P>>,
) => Promise<R>;
type ActionHandler<A extends Access, P extends ParamParsers, R extends Response> = (
  context: ActionContext<A, ParamsOf<P>>,
) => Promise<R>;

const ACCESS = Symbol.for("dashboard.route.access");

/**
 * The access that a loader or action stated, or undefined when the wrapper did not make it. "signed" is for machines
 * alone: who knows a secret of ours may send.
 */
export function getAccess(handler: unknown): Access | "signed" | undefined {
  return typeof handler === "function"
    ? (handler as { [ACCESS]?: Access | "signed" })[ACCESS]
    : undefined;
}

/** Makes a loader. Its handler runs only for people who have the access. */
export function routeLoader<
  A extends Access,
  R extends Response,
  P extends ParamParsers = ParamParsers,
>(options: Options<A, P>, handler: LoaderHandler<A, P, R>) {
  const loader = (args: LoaderFunctionArgs): Promise<R> =>
    respond(args, async (cookies) => handler(await enter(args, options, cookies)));
  return Object.assign(loader, { [ACCESS]: options.access });
}

/**
 * Makes an action, of one handler or of one for each `intent` its forms send.
 * The form is read under a cap and must come from a page of ours. When its session is over it is kept,
 * and comes back after signing in: by the intent `refill`, which every action answers with the form as
 * it was typed.
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
  type Context = ActionContext<A, ParamsOf<P>>;
  // The answer is of the type F wherever F is not stated.
  const refill =
    options.refill ?? (async ({ form }: Context) => refillResponse(form) as unknown as F);

  async function handle(context: Omit<Context, "form">, form: FormData): Promise<R> {
    try {
      return await withInteractiveTimeout(() => handlerFor(handlers, form)({ ...context, form }));
    } catch (error) {
      // The session ended between its proof and this.
      if (!(error instanceof DataError) || error.failure !== "signed-out") throw error;
      throw await askToSignIn(context.request, form, context.setCookie, options.words);
    }
  }

  const action = (args: ActionFunctionArgs): Promise<R | F> => {
    let typed: FormData | undefined;
    return respond<R | F>(
      args,
      async (cookies) => {
        const { request } = args;
        if (request.method !== "POST")
          throw new HttpError(405, "That can’t be done this way", "Please use the form.", {
            Allow: "POST",
          });
        // Before the body is read: what another site sends is refused in whatever encoding it comes.
        const sender = detectFormSender(request);
        if (sender === "another site") throw foreignForm();
        const form = await readForm(request);
        if (sender === "nothing" && !(await hasValidFormToken(request, form))) throw foreignForm();
        typed = form;
        const context = await enter(args, options, cookies, { form, words: options.words });
        if (form.get("intent") === REFILL) {
          const forgotten = await deleteStash(request, readField(form, REFILL_STASH));
          if (forgotten) context.setCookie(forgotten);
          return await refill({ ...context, form: toRefillForm(form) });
        }
        const response = await handle(context, form);
        if (response.status < 400) forgetSession(args);
        return response;
      },
      () => typed && { form: typed, words: options.words },
    );
  };
  return Object.assign(action, { [ACCESS]: options.access });
}

function foreignForm(): HttpError {
  return new HttpError(
    403,
    "That form didn’t come from this site",
    "Nothing was changed. Please open the page here and send the form again.",
  );
}

function handlerFor<H>(handlers: H | Record<string, H>, form: FormData): H {
  if (typeof handlers === "function") return handlers;
  const byIntent = handlers as Record<string, H>;
  const intent = form.get("intent");
  if (typeof intent === "string" && Object.hasOwn(byIntent, intent)) return byIntent[intent]!;
  throw new HttpError(
    400,
    "We don’t know what to do with that form",
    "Please go back, reload the page and send it again.",
  );
}

/**
 * Makes an action for a machine that signs what it sends. There is no form, no session and no page of ours behind it:
 * the signature (over the body exactly as it came, or in the address) stands for all of these, and nothing runs without it.
 * @param verify gives what was sent; null when it is not signed as it should be
 * @param handler acts on it; what it throws says whether sending it again helps (5xx) or not
 */
export function signedAction<M, R extends Response>(
  verify: (body: string, headers: Headers, url: URL) => M | null,
  handler: (message: M, context: { log: Log }) => Promise<R>,
) {
  const action = (args: ActionFunctionArgs): Promise<R> =>
    respond(args, async () => {
      const { request } = args;
      if (request.method !== "POST")
        throw new HttpError(
          405,
          "That can’t be done this way",
          "This address takes signed messages.",
          { Allow: "POST" },
        );
      const message = verify(
        new TextDecoder().decode(await readBody(request)),
        request.headers,
        new URL(request.url),
      );
      if (message === null)
        throw new HttpError(
          400,
          "That was not signed",
          "This address takes messages with a fresh signature over their exact text.",
        );
      return handler(message, { log: log().child({ requestId: requestIdOf(request) }) });
    });
  return Object.assign(action, { [ACCESS]: "signed" as const });
}

type Args = LoaderFunctionArgs | ActionFunctionArgs;

/** Loaders of one page share their request's context object, and so one look-up of who asks. */
const sessions = new WeakMap<object, Promise<SessionState>>();
const sessionKey = ({ context, request }: Args): object =>
  typeof context === "object" && context ? context : request;

function sessionOf(args: Args): Promise<SessionState> {
  const key = sessionKey(args);
  const known = sessions.get(key);
  if (known) return known;
  const found = findSession(args.request);
  sessions.set(key, found);
  return found;
}

function forgetSession(args: Args): void {
  sessions.delete(sessionKey(args));
}

/** What somebody sent, and what they call its fields. */
interface Sent {
  form: FormData;
  words: FormLabels | undefined;
}

/**
 * Finds out who asks, and lets in only those who have the access.
 * @param sent what they sent, when they sent something
 */
async function enter<A extends Access, P extends ParamParsers>(
  args: Args,
  { access, params: parsers }: Options<A, P>,
  cookies: string[],
  sent?: Sent,
): Promise<RouteContext<A, ParamsOf<P>>> {
  const { request } = args;
  const url = new URL(request.url);
  const state = await sessionOf(args);
  const setCookie = (value: string) => void cookies.push(value);

  if (state.kind === "none" && state.stale) {
    setCookie(await expireCookie(sessionCookie()));
    const owner = await readSessionOwner(request);
    if (owner) setCookie(await endedCookie().serialize(owner));
  }
  const renewed = await serializeRenewedSession(state);
  if (renewed) setCookie(renewed);
  if (request.method === "GET" && access !== "open") {
    const token = readSecretParam(request, "token");
    if (token !== null) throw await acceptHandoff({ request, url, token, state, setCookie });
  }

  if (access !== "open") {
    if (state.kind === "unknown") throw unavailable();
    if (state.kind === "none") {
      throw sent
        ? await askToSignIn(request, sent.form, setCookie, sent.words)
        : redirect(paths.login(`${url.pathname}${url.search}`));
    }
    if (access === "admin" && !state.session.user.admin) throw forbidden();
  }
  return {
    request,
    url,
    params: parseParams(args.params, parsers),
    session: (state.kind === "active" ? state.session : null) as RouteContext<A>["session"],
    sessionState: state.kind,
    db: state.db,
    log: log().child({ requestId: requestIdOf(request) }),
    setCookie,
  };
}

function parseParams<P extends ParamParsers>(raw: RawParams, parsers: P | undefined): ParamsOf<P> {
  const parsed = parsers
    ? Object.fromEntries(Object.entries(parsers).map(([name, parse]) => [name, parse(raw[name])]))
    : raw;
  return parsed as ParamsOf<P>;
}

const KEPT_TEXT =
  "You were signed out while you filled in a form. Nothing was saved yet; what you typed is kept. Sign in, and it comes back.";

/**
 * What a form gets that needs a session and has none. It is kept for after signing in when a cookie of
 * ours tells whose session it was. When it can't be kept, the page that answers gives it back.
 * @returns the redirect to answer with
 * @throws HttpError 401 when it could not be kept, DataError when the database does not answer
 */
async function askToSignIn(
  request: Request,
  form: FormData,
  setCookie: (value: string) => void,
  words: FormLabels | undefined,
): Promise<Response> {
  const sent = sentForm(request, form, words);
  const { action, fields } = sent;
  if (!fields.some(isUserField)) return redirect(paths.login(action));

  const owner = await readEndedSessionOwner(request);
  const kept = owner && (await stashForm(request, owner, sent));
  if (kept) {
    setCookie(kept.setCookie);
    return redirectWithFlash(paths.login(paths.resume(kept.id)), { tone: "info", text: KEPT_TEXT });
  }
  // Whoever has opened a page of ours has typed this into a form of ours; to all others nothing is lost.
  const ourVisitor = owner ?? (await readCookie(formCookie(), request));
  if (ourVisitor) throw signInRequired();
  return redirect(paths.login(action));
}

const requestIds = new WeakMap<Request, string>();

function requestIdOf(request: Request): string {
  const known = request.headers.get(REQUEST_ID_HEADER) ?? requestIds.get(request);
  if (known) return known;
  const id = randomUUID();
  requestIds.set(request, id);
  return id;
}

async function respond<R extends Response>(
  args: Args,
  run: (cookies: string[]) => Promise<R>,
  typed?: () => Sent | undefined,
): Promise<R> {
  const cookies: string[] = [];
  const started = performance.now();
  const finish = <T extends Response>(response: T): T => {
    for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
    response.headers.set("X-Request-Id", requestIdOf(args.request));
    setSecurityHeaders(response.headers);
    const line = {
      requestId: requestIdOf(args.request),
      method: args.request.method,
      path: new URL(args.request.url).pathname,
      status: response.status,
      ms: Math.round(performance.now() - started),
    };
    if (args.request.method === "GET") log().debug(line, "loader");
    else log().info(line, "action");
    return response;
  };
  try {
    return finish(await run(cookies));
  } catch (error) {
    if (error instanceof Response) throw finish(error);
    throw finish(failureResponse(error, args.request, typed?.()));
  }
}

/** The response for a failure, in words; what is unexpected is logged and told without detail. */
function failureResponse(error: unknown, request: Request, typed: Sent | undefined): Response {
  const url = new URL(request.url);
  const failure = explained(error);
  if (failure === "signed-out") return redirect(paths.login(`${url.pathname}${url.search}`));

  const requestId = requestIdOf(request);
  const outage = failure.status === 503;
  if (failure.status >= 500) {
    const cause = error instanceof Error ? error : new Error(String(error));
    const code =
      error instanceof DataError || error instanceof AuthServiceError ? error.code : undefined;
    const detail = {
      requestId,
      path: url.pathname,
      kind: cause.name,
      code,
      reason: redactSecrets(cause.message),
    };
    if (outage) log().warn(detail, "outside unavailable");
    else log().error({ ...detail, stack: redactSecrets(cause.stack ?? "") }, "unexpected failure");
  }
  const kept = typed && KEEPS_FORM.has(failure.status);
  const data: ErrorPageData = {
    title: failure.title,
    message: kept
      ? `${failure.message} ${failure.status >= 500 ? OUTCOME_UNKNOWN : NOT_SAVED}`
      : failure.message,
    requestId,
    resend: kept ? sentForm(request, typed.form, typed.words) : null,
  };
  return json(data, { status: failure.status, headers: failure.headers });
}

/** Failures after which the same form may still be sent, so that it is given back. */
const KEEPS_FORM = new Set([400, 401, 409, 429, 500, 503]);
const OUTCOME_UNKNOWN =
  "We can’t tell whether your form was saved. What you typed is kept below, and sending it again is safe: it will not be done twice.";
const NOT_SAVED = "Nothing was saved. What you typed is kept below.";

function explained(error: unknown): HttpError | "signed-out" {
  if (error instanceof HttpError) return error;
  if (error instanceof AuthServiceError && error.failure === "unavailable") return unavailable();
  if (error instanceof AuthServiceError && error.failure === "limited")
    return tooManyRequests(LIMITED_BY_AUTH_S);
  if (error instanceof DataError) {
    if (error.failure === "signed-out") return "signed-out";
    if (error.failure === "unavailable") return unavailable();
    if (error.failure === "denied")
      return forbidden("Your account isn’t allowed to do that. Nothing was changed.");
    if (error.failure === "missing") return notFound();
    if (error.failure === "conflict") {
      return new HttpError(
        409,
        "Somebody was faster",
        "This changed while you had it open. Please go back, reload the page and look again.",
      );
    }
    if (error.failure === "refused")
      return new HttpError(
        400,
        "That can’t be saved",
        error.code === "P0001" ? error.message : UNFIT_VALUE,
      );
  }
  return new HttpError(
    500,
    "Something went wrong on our side",
    "We’ve made a note of it. Please try again; if it happens again, tell us the number below.",
  );
}

/** The auth service does not say how long to wait. */
const LIMITED_BY_AUTH_S = 60;
/** A constraint's own message names tables and columns, which is nothing for people. */
const UNFIT_VALUE = "One of the values can’t be saved as it is. Please check it.";

/** What of a form may be kept or given back. It may fail again on its way to be filled in again: it stays what it was at first. */
function sentForm(request: Request, form: FormData, words: FormLabels | undefined): SubmittedForm {
  const { pathname, search } = new URL(request.url);
  const sent = [...form].filter(
    (entry): entry is PostedField =>
      typeof entry[1] === "string" && entry[0] !== FORM_TOKEN_FIELD && !isSecretField(entry[0]),
  );
  const fields = toOriginalFields(sent);
  return { action: `${pathname}${search}`, fields, words: pickFormLabels(fields, words) };
}
