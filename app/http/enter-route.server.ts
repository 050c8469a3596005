import { redirect } from "@remix-run/node";

import { createUserClient } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";
import { currentScope, type UserKind } from "~/integrations/upstream/request-scope.server";

import { endedCookie, expireCookie, formCookie, readCookie, sessionCookie } from "./cookies.server";
import { findClosing, readFormAccount, signFormAccount } from "./csrf.server";
import { forbidden, formExpired, HttpError, signInRequired, unavailable } from "./errors.server";
import { redirectWithFlash } from "./flash.server";
import { toSubmittedForm } from "./form.server";
import { readEndedSessionOwner, saveStash } from "./form-stash.server";
import { acceptHandoff } from "./handoff.server";
import { paths } from "./paths";
import { readSecretParam } from "./prepare-request.server";
import type { PostedForm } from "./respond.server";
import type { RouteArgs } from "./route-args.server";
import {
  findSession,
  readSessionOwner,
  serializeRenewedSession,
  type Session,
  type SessionState,
} from "./session.server";
import { isUserField, type SubmittedForm } from "./submitted-form";

/** Who may use a route: anyone, a signed-in user, or an admin. */
export type Access = "open" | "signed in" | "admin";

/**
 * The loaders of one page share their request's context object, and so one look-up of the session.
 */
const sessions = new WeakMap<object, Promise<SessionState>>();
const getSessionKey = ({ context, request }: RouteArgs): object =>
  typeof context === "object" && context ? context : request;

function findSharedSession(args: RouteArgs): Promise<SessionState> {
  const key = getSessionKey(args);
  const known = sessions.get(key);
  if (known) return known;
  const found = findSession(args.request);
  sessions.set(key, found);
  return found;
}

/** Who a request is from, for the log. Before the second step, a user has no rights yet. */
function toUserKind(state: SessionState): UserKind {
  if (state.kind === "active") return state.session.user.admin ? "admin" : "owner";
  return state.kind === "unknown" ? "unknown" : "anonymous";
}

/** What a limited session may use: the page for choosing a password, and the ways out. */
const OPEN_TO_LIMITED: ReadonlySet<string> = new Set([
  paths.newPassword(),
  paths.logout(),
  "/leave",
]);

/** Makes the loaders that run after an action look the session up again. */
export function forgetSession(args: RouteArgs): void {
  sessions.delete(getSessionKey(args));
}

/**
 * Finds the session of a request and checks its access to a route.
 * @param setCookie adds a Set-Cookie value to the response
 * @param posted the form, when there is one
 * @throws a redirect to the sign-in page, to its second step, or to the page where an admin turns
 *   two-step sign-in on; or HttpError 401, 403, or 503
 */
export async function enterRoute(
  args: RouteArgs,
  access: Access,
  setCookie: (value: string) => void,
  posted?: PostedForm,
): Promise<SessionState> {
  const { request } = args;
  const url = new URL(request.url);
  const state = await findSharedSession(args);
  const scope = currentScope();
  if (scope) scope.user = toUserKind(state);

  if (state.kind === "none" && state.stale) {
    setCookie(await expireCookie(sessionCookie()));
    const owner = await readSessionOwner(request);
    if (owner) setCookie(await endedCookie().serialize(owner));
  }
  const renewed = await serializeRenewedSession(state);
  if (renewed) setCookie(renewed);
  const limited =
    state.kind === "active" && state.session.limited && !OPEN_TO_LIMITED.has(url.pathname);
  const seen: SessionState = limited
    ? { kind: "none", db: createUserClient(null), stale: false }
    : state;
  if (access === "open") return seen;

  if (request.method === "GET") {
    const token = readSecretParam(request, "token");
    if (token !== null) throw await acceptHandoff({ request, url, token, state: seen, setCookie });
  }
  if (limited)
    throw posted
      ? await stashForm(request, posted, setCookie, "sign in")
      : redirect(paths.newPassword());
  if (state.kind === "unknown") throw unavailable();
  const stopAt = async (obstacle: Obstacle) =>
    posted
      ? await stashForm(request, posted, setCookie, obstacle)
      : redirect(OBSTACLES[obstacle].lead(`${url.pathname}${url.search}`));
  if (state.kind === "none") throw await stopAt("sign in");
  if (state.kind === "second step due") throw await stopAt("second step");
  const { user } = state.session;
  if (access === "admin" && user.adminNeedsSecondStep) throw await stopAt("turn on");
  if (access === "admin" && !user.admin) throw forbidden();
  if (scope) scope.account = user.id;
  return state;
}

/**
 * What a user has to do before a page opens: where they do it, and what they read when it
 * interrupts a form.
 */
const OBSTACLES = {
  "sign in": {
    lead: paths.login,
    pressed: "You were signed out, so nothing has been changed. Sign in, and then choose it again.",
    stashed:
      "You were signed out while filling in a form. Nothing has been saved yet. Sign in within an hour and we’ll bring back what you typed.",
  },
  "second step": {
    lead: paths.secondStep,
    pressed:
      "We need your sign-in code first, so nothing has been changed. Enter it, and then choose it again.",
    stashed:
      "Before we can save your form, we need your sign-in code. Nothing has been saved yet. Enter the code within an hour and we’ll bring back what you typed.",
  },
  "turn on": {
    lead: paths.twoStep,
    pressed:
      "Admins need two-step sign-in, so nothing has been changed. Turn it on, and then choose it again.",
    stashed:
      "Admins need two-step sign-in. Nothing has been saved yet. Turn it on within an hour and we’ll bring back what you typed.",
  },
} as const;
type Obstacle = keyof typeof OBSTACLES;

/**
 * Stashes a form that was opened before its user signed out here, for the account in its token.
 * @returns null when it was not stored, for whatever reason: no error page may show what was typed
 */
async function stashClosedForm(request: Request, form: FormData, submitted: SubmittedForm) {
  try {
    return await saveStash(request, readFormAccount(form)!, submitted, true);
  } catch (error) {
    if (error instanceof DataError) return null;
    throw error;
  }
}

interface RouteState {
  request: Request;
  session: Session | null;
  setCookie: (value: string) => void;
}

/** The response to a form whose session ended after it was verified: see stashForm. */
export function requestSignIn(
  request: Request,
  posted: PostedForm,
  setCookie: (value: string) => void,
): Promise<Response> {
  return stashForm(request, posted, setCookie, "sign in");
}

/**
 * Leads an admin who has to turn two-step sign-in on there, when they ask for what they can't see until then, such as
 * someone else's listing that they were editing: it isn't there for them. Their form is stashed.
 * @param posted the form, when there is one
 * @throws that redirect, or HttpError 401 as stashForm does; otherwise the failure
 */
export async function leadToTurnOn(
  failure: unknown,
  { request, session, setCookie }: RouteState,
  posted?: PostedForm,
): Promise<never> {
  const isHidden = failure instanceof HttpError && failure.status === 404;
  if (!isHidden || !session?.user.adminNeedsSecondStep) throw failure;
  const { pathname, search } = new URL(request.url);
  throw posted
    ? await stashForm(request, posted, setCookie, "turn on")
    : redirect(OBSTACLES["turn on"].lead(`${pathname}${search}`));
}

/**
 * The response to a form that needs more than its sender's session has. The form is stashed until
 * then, when one of our cookies says whose session it is or was.
 * @returns the redirect to answer with; when nothing was typed, it only leads to signing in, and says that the button
 *   did nothing
 * @throws HttpError 401 when the form could not be stashed; the error page then shows what was
 *   typed. DataError when the database does not answer
 */
async function stashForm(
  request: Request,
  { form, labels }: PostedForm,
  setCookie: (value: string) => void,
  obstacle: Obstacle,
): Promise<Response> {
  const { lead, pressed, stashed } = OBSTACLES[obstacle];
  const submitted = toSubmittedForm(request, form, labels);
  if (!submitted.fields.some(isUserField))
    return redirectWithFlash(lead(submitted.action), { tone: "info", text: pressed });

  const owner = await readEndedSessionOwner(request);
  const isClosed = owner === null && (await findClosing(request, form)) !== null;
  const stash = await (isClosed
    ? stashClosedForm(request, form, submitted)
    : owner && saveStash(request, signFormAccount(owner)[0], submitted));
  if (stash) {
    setCookie(stash.setCookie);
    return redirectWithFlash(lead(paths.resume(stash.id)), { tone: "info", text: stashed });
  }
  if (isClosed) throw formExpired();
  const hasCookies = owner ?? (await readCookie(formCookie(), request));
  throw signInRequired(Boolean(hasCookies));
}
