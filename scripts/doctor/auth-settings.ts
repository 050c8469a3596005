import { randomUUID } from "node:crypto";

import { ask, NoAnswer, type Answer } from "./ask";
import { findSupabasePage, type Check, type Config } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";
import { checkProjectSettings } from "./project-settings";

/** What the auth service tells anyone (GET /settings), as far as it is used here. */
interface Settings {
  external?: Record<string, boolean>;
  disable_signup?: boolean;
  mailer_autoconfirm?: boolean;
  phone_autoconfirm?: boolean;
  saml_enabled?: boolean;
  passkeys_enabled?: boolean;
}

const PUSH = "`supabase config push`";

function judgeSettings(config: Config, settings: Settings): Finding[] {
  const page = findSupabasePage(config, "auth/providers");
  const fix = `Set it as supabase/config.toml does, by ${PUSH} or at ${page}`;
  const { email, anonymous_users: anonymous, ...others } = settings.external ?? {};
  const alsoOn = [
    ...Object.keys(others).filter((name) => others[name]),
    ...(settings.saml_enabled ? ["saml"] : []),
    ...(settings.passkeys_enabled ? ["passkeys"] : []),
  ];
  return [
    settings.disable_signup
      ? wrong("Sign-ups are turned off", "No one new can join.", fix)
      : fine("Sign-ups are open"),
    email === false
      ? wrong("Sign-in by email is turned off", "No one can sign in or join.", fix)
      : fine("Sign-in by email and password is on"),
    settings.mailer_autoconfirm
      ? wrong(
          "Email addresses count without being confirmed",
          "Anyone can join with someone else’s address, and claim the listing that has it.",
          fix,
        )
      : fine("Email addresses have to be confirmed"),
    ...(settings.phone_autoconfirm
      ? [
          wrong(
            "Phone numbers count without being confirmed",
            "Anyone with a session, also with one from a link to a new password, can attach any number to its account.",
            fix,
          ),
        ]
      : []),
    ...(anonymous
      ? [
          wrong(
            "Anonymous sign-ins are turned on",
            "Programs can make any number of accounts without an address.",
            fix,
          ),
        ]
      : []),
    ...(alsoOn.length > 0
      ? [
          byHand(
            `Other ways to sign in are on: ${alsoOn.join(", ")}. The dashboard offers none of them: leave on only what your mobile app needs.`,
            page,
          ),
        ]
      : []),
  ];
}

async function checkSettings(config: Config): Promise<Finding[]> {
  const { status, json } = await ask(`${config.supabaseUrl}/auth/v1/settings`, {
    headers: { apikey: config.supabasePublishableKey },
  });
  if (status === 200 && typeof json === "object" && json !== null)
    return judgeSettings(config, json);
  if (status === 401 || status === 403)
    return [
      byHand(
        "The auth service did not accept the publishable key, so its settings could not be read.",
        findSupabasePage(config, "settings/api-keys"),
      ),
    ];
  throw new NoAnswer(`answers ${status}`);
}

/** The address that a link with an unknown token leads to: it uses nothing up. */
async function followDeadLink(config: Config, redirectTo: string): Promise<string | null> {
  const query = new URLSearchParams({
    token: randomUUID().replaceAll("-", ""),
    type: "signup",
    redirect_to: redirectTo,
  });
  const answer: Answer = await ask(`${config.supabaseUrl}/auth/v1/verify?${query}`, {
    headers: { apikey: config.supabasePublishableKey },
  });
  const location = answer.headers.get("Location");
  if (answer.status < 300 || answer.status > 399 || !location || !URL.canParse(location))
    return null;
  const { origin, pathname } = new URL(location);
  return `${origin}${pathname}`;
}

/**
 * Where the auth service lets its links lead. A link that is not valid leads to the address that it asks
 * for, if that is allowed, and otherwise to the Site URL.
 */
async function checkRedirects(config: Config): Promise<Finding[]> {
  const page = findSupabasePage(config, "auth/url-configuration");
  const [foreign, ours] = ["https://not-allowed.invalid/", `${config.appUrl}/confirm`];
  const [elsewhere, home] = await Promise.all([
    followDeadLink(config, foreign),
    followDeadLink(config, ours),
  ]);
  if (elsewhere === null || home === null)
    return [
      byHand(
        `The Site URL should be ${config.appUrl}, and the redirect addresses ${ours} and ${config.appUrl}/recovery/new.`,
        page,
      ),
    ];
  const findings: Finding[] = [];
  if (elsewhere === foreign)
    findings.push(
      wrong(
        "The auth service’s links may lead to any address",
        "A forged link can pass someone’s session to another site.",
        `Remove patterns such as ** from the redirect addresses: ${page}`,
      ),
    );
  else if (new URL(elsewhere).origin !== config.appUrl)
    findings.push(
      wrong(
        `The Site URL is ${new URL(elsewhere).origin}, not ${config.appUrl}`,
        "Links in emails that Supabase sends lead to the wrong place.",
        `Set it at ${page}, or as site_url in supabase/config.toml before ${PUSH}`,
      ),
    );
  if (home !== ours)
    findings.push(
      wrong(
        `${ours} is not among the redirect addresses`,
        "Links in emails that Supabase sends don’t lead back to the dashboard.",
        `Add it, and ${config.appUrl}/recovery/new: ${page}`,
      ),
    );
  return findings.length > 0 ? findings : [fine("Links lead to the dashboard, and nowhere else")];
}

/**
 * The auth service: the settings that it shows to anyone, and those that its project's API shows to
 * the owner.
 */
export const authSettings: Check = {
  title: "Supabase: sign-in",
  async run({ config, accessToken }) {
    const found = Promise.all([checkSettings(config), checkRedirects(config)]).catch(
      (error: unknown): Finding[][] => {
        if (!(error instanceof NoAnswer)) throw error;
        return [
          [
            wrong(
              `The auth service at ${new URL(config.supabaseUrl).host} ${error.message}`,
              "No one can sign in.",
              "See the keys above, and https://status.supabase.com",
            ),
          ],
        ];
      },
    );
    const [told, ofProject] = await Promise.all([found, checkProjectSettings(config, accessToken)]);
    return [...told.flat(), ...ofProject];
  },
};
