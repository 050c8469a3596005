import { randomUUID } from "node:crypto";

import { env, type CaptchaProvider } from "~/env.server";
import { captchaCookie, expireCookie, readCookie } from "~/http/cookies.server";
import { readField } from "~/http/form.server";
import { wantsLightVersion } from "~/http/light-version.server";
import {
  enforceRateLimit,
  countAttempt,
  getClientNetwork,
  isRateLimitReached,
} from "~/http/rate-limit.server";
import {
  AuthServiceError,
  checkAuthService,
  checkCaptcha,
} from "~/integrations/supabase/auth.server";

import { CAPTCHA_FAILED } from "./auth-failures.server";

/**
 * The captcha of the sign-up form, which is asked for only while there are unusually many sign-ups,
 * and only where one is configured. docs/decisions/0019 says why it works like this.
 */

/** More sign-ups than this, by all visitors together, are unusual. */
const USUAL_VOLUME = { name: "signup-volume", max: 30, windowSeconds: 10 * 60 };
/** How long someone who can't solve a captcha waits, and how many may sign up that way. */
const WAIT_MS = 2 * 60_000;
const ONCE = { name: "signup-wait", max: 1, windowSeconds: 2 * 60 * 60 };
const WAITED_PER_VISITOR = { name: "signup-waited-visitor", max: 3, windowSeconds: 60 * 60 };
const WAITED = { name: "signup-waited", max: 20, windowSeconds: 60 * 60 };

interface Widget {
  script: string;
  className: string;
  /** The field that the widget adds to its form. */
  field: string;
}

const WIDGETS: Record<CaptchaProvider, Widget> = {
  turnstile: {
    script: "https://challenges.cloudflare.com/turnstile/v0/api.js",
    className: "cf-turnstile",
    field: "cf-turnstile-response",
  },
  hcaptcha: {
    script: "https://js.hcaptcha.com/1/api.js",
    className: "h-captcha",
    field: "h-captcha-response",
  },
};

const CHECKING = "More people than usual are signing up, so we’re checking for bots.";

interface CaptchaHtml {
  html: string;
  /** Whether it loads the provider's widget; in the light version it doesn't. */
  hasWidget: boolean;
}

/**
 * The HTML of the captcha for the sign-up page, or null when none is asked for. It is plain HTML,
 * so that a page without a captcha has no script for one.
 */
export async function renderCaptcha(
  request: Request,
  setCookie: (value: string) => void,
): Promise<CaptchaHtml | null> {
  const { captcha } = env();
  if (!captcha || !(await isRateLimitReached(USUAL_VOLUME))) return null;
  if (!(await readWait(request))) setCookie(await startWait());
  if (await wantsLightVersion(request))
    return {
      html: `<p>${CHECKING} In the light version, wait two minutes after opening this page, then submit.</p>`,
      hasWidget: false,
    };
  const { script, className } = WIDGETS[captcha.provider];
  const html = `<div class="${className}" data-sitekey="${captcha.siteKey}"></div>
<noscript><p>${CHECKING} Without JavaScript, wait two minutes after opening this page, then submit.</p></noscript>
<script src="${script}" async defer></script>`;
  return { html, hasWidget: true };
}

/**
 * Checks, before the response, everything that a sign-up needs from the auth service: that it
 * answers, and the captcha, if one is asked for now.
 * @returns null when the sign-up may go on, or what the visitor must do first
 * @throws AuthServiceError or HttpError 429
 */
export async function checkVisitor(
  request: Request,
  form: FormData,
  setCookie: (value: string) => void,
): Promise<string | null> {
  const { captcha } = env();
  if (!captcha || (await countAttempt(USUAL_VOLUME)) === 0) {
    await checkAuthService();
    return null;
  }
  const solved = readField(form, WIDGETS[captcha.provider].field);
  if (!solved) return checkWait(request, setCookie);
  try {
    await checkCaptcha(solved);
    return null;
  } catch (error) {
    if (!(error instanceof AuthServiceError) || error.failure !== "captcha") throw error;
    return CAPTCHA_FAILED;
  }
}

interface Wait {
  id: string;
  /** When this browser was first asked for a captcha. */
  since: number;
}

const startWait = () =>
  captchaCookie().serialize({ id: randomUUID(), since: Date.now() } satisfies Wait);

async function readWait(request: Request): Promise<Wait | null> {
  const value = (await readCookie(captchaCookie(), request)) as Partial<Wait> | null;
  return typeof value?.id === "string" && typeof value.since === "number" ? (value as Wait) : null;
}

/**
 * The way in for people whose browser shows no captcha: waiting. Each wait counts once, and few
 * sign-ups an hour get through this way, so it is of little use to a program.
 */
async function checkWait(
  request: Request,
  setCookie: (value: string) => void,
): Promise<string | null> {
  await checkAuthService();
  const wait = await readWait(request);
  if (!wait) setCookie(await startWait());
  const left = (wait?.since ?? Date.now()) + WAIT_MS - Date.now();
  if (!wait || left > 0) {
    const minutes = Math.ceil(left / 60_000);
    return `More people than usual are signing up, so we’re checking for bots. Please complete the check below. Can’t see one? Wait ${minutes === 1 ? "a minute" : `${minutes} minutes`} and submit again.`;
  }
  await enforceRateLimit(WAITED_PER_VISITOR, getClientNetwork(request));
  await enforceRateLimit(WAITED);
  // The cookie is removed, and a copy of it no longer counts.
  await enforceRateLimit(ONCE, wait.id);
  setCookie(await expireCookie(captchaCookie()));
  return null;
}
