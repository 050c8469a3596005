import { ask, NoAnswer } from "./ask";
import { findProject, findSupabasePage, isLocalStart, type Config } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";

/** Supabase's Management API, which the owner of a project may ask with an access token. */
const MANAGEMENT_API = "https://api.supabase.com/v1/projects";

type Value = boolean | number | string;
/** The settings of a project's auth service, by their names at the Management API. */
type Settings = Partial<Record<string, Value | null>>;

interface Setting {
  /** At the Management API (GET /v1/projects/{ref}/config/auth). */
  name: string;
  /** In `supabase/config.toml`, below `auth`; null for what the file can't say. */
  inFile: string | null;
  needed: Value;
  /** Any number from this one on. */
  orMore?: true;
  /** The page of the project's dashboard. */
  page: string;
  /** What another value means for users. */
  effect: string;
}

const EMAIL_PAGE = "auth/providers?provider=Email";
const RATE_PAGE = "auth/rate-limits";
const MFA_PAGE = "auth/mfa";
const SESSIONS_PAGE = "auth/sessions";
const BUSY = "At a busy hour people can’t sign in, or are signed out.";

/** What the dashboard relies on, besides what the auth service tells anyone. */
export const NEEDED_SETTINGS: readonly Setting[] = [
  {
    name: "mailer_secure_email_change_enabled",
    inFile: "email.double_confirm_changes",
    needed: true,
    page: EMAIL_PAGE,
    effect: "Someone at an unlocked computer can move an account to their own address.",
  },
  {
    name: "mailer_otp_length",
    inFile: "email.otp_length",
    needed: 10,
    orMore: true,
    page: EMAIL_PAGE,
    effect: "The codes in the links of emails can be guessed.",
  },
  {
    name: "mailer_otp_exp",
    inFile: "email.otp_expiry",
    needed: 3600,
    page: EMAIL_PAGE,
    effect: "Links work for longer or shorter than the hour that emails and pages promise.",
  },
  {
    name: "password_min_length",
    inFile: "minimum_password_length",
    needed: 8,
    page: EMAIL_PAGE,
    effect:
      "Passwords that the dashboard accepts are refused after it said so, or weaker ones get in.",
  },
  {
    name: "password_required_characters",
    inFile: "password_requirements",
    needed: "",
    page: EMAIL_PAGE,
    effect: "Passwords that the dashboard accepts are refused, at sign-up after the response.",
  },
  {
    name: "password_hibp_enabled",
    inFile: null,
    needed: false,
    page: EMAIL_PAGE,
    effect:
      "A sign-up with a leaked password fails after the dashboard said that an email is on its way.",
  },
  {
    name: "security_update_password_require_reauthentication",
    inFile: "email.secure_password_change",
    needed: false,
    page: EMAIL_PAGE,
    effect: "No one can change a password: the dashboard asks for the old one itself.",
  },
  {
    name: "mfa_totp_enroll_enabled",
    inFile: "mfa.totp.enroll_enabled",
    needed: true,
    page: MFA_PAGE,
    effect: "No one can turn on two-step sign-in.",
  },
  {
    name: "mfa_totp_verify_enabled",
    inFile: "mfa.totp.verify_enabled",
    needed: true,
    page: MFA_PAGE,
    effect: "No one with two-step sign-in can sign in, admins first.",
  },
  {
    name: "mfa_phone_enroll_enabled",
    inFile: "mfa.phone.enroll_enabled",
    needed: false,
    page: MFA_PAGE,
    effect: "A phone number that someone takes over counts as the second step.",
  },
  {
    name: "mfa_phone_verify_enabled",
    inFile: "mfa.phone.verify_enabled",
    needed: false,
    page: MFA_PAGE,
    effect: "A phone number that someone takes over counts as the second step.",
  },
  {
    name: "security_sb_forwarded_for_enabled",
    inFile: null,
    needed: true,
    page: RATE_PAGE,
    effect: "All visitors share one limit: one of them can keep everyone from signing in.",
  },
  {
    name: "rate_limit_token_refresh",
    inFile: "rate_limit.token_refresh",
    needed: 600,
    orMore: true,
    page: RATE_PAGE,
    effect: BUSY,
  },
  {
    name: "rate_limit_otp",
    inFile: "rate_limit.sign_in_sign_ups",
    needed: 60,
    orMore: true,
    page: RATE_PAGE,
    effect: BUSY,
  },
  {
    name: "rate_limit_verify",
    inFile: "rate_limit.token_verifications",
    needed: 60,
    orMore: true,
    page: RATE_PAGE,
    effect: BUSY,
  },
  {
    name: "refresh_token_rotation_enabled",
    inFile: "enable_refresh_token_rotation",
    needed: true,
    page: SESSIONS_PAGE,
    effect: "A session that was copied once stays open, unnoticed.",
  },
  {
    name: "security_refresh_token_reuse_interval",
    inFile: "refresh_token_reuse_interval",
    needed: 10,
    orMore: true,
    page: SESSIONS_PAGE,
    effect: "Two tabs that are open at once sign each other out.",
  },
  {
    name: "security_manual_linking_enabled",
    inFile: "enable_manual_linking",
    needed: false,
    page: "auth/providers",
    effect: "Someone at an unlocked computer can add a way to sign in of their own.",
  },
];

/** Emails of the auth service about what the dashboard writes about itself; its hook sends none of these. */
const NOTIFICATIONS = /^mailer_notifications_(.+)_enabled$/;
/** Those with a link. The one for a magic link has none on purpose. */
const TEMPLATES = ["confirmation", "recovery", "email_change"];

const show = (value: Value | null | undefined) =>
  value === true ? "on" : value === false ? "off" : value === "" || value == null ? "empty" : value;

function isAsNeeded({ needed, orMore }: Setting, value: Value | null | undefined): boolean {
  if (typeof needed === "number" && orMore) return Number(value ?? 0) >= needed;
  // A setting that was never made is off, or empty.
  return (value ?? (typeof needed === "boolean" ? false : "")) === needed;
}

function judgeSettings(config: Config, settings: Settings): Finding[] {
  return NEEDED_SETTINGS.filter((one) => !isAsNeeded(one, settings[one.name])).map((one) =>
    wrong(
      `${one.name} is ${show(settings[one.name])}, not ${show(one.needed)}`,
      one.effect,
      `Set it at ${findSupabasePage(config, one.page)}`,
    ),
  );
}

/** Who sends the auth service's emails: the dashboard, by the hook, or Supabase, by a mail server. */
function judgeSender(config: Config, settings: Settings): Finding[] {
  const hook = `${config.appUrl}/webhooks/auth-emails`;
  const hooks = findSupabasePage(config, "auth/hooks");
  const isOn = settings["hook_send_email_enabled"] === true;
  if (config.sendEmailHookSecrets.length > 0) {
    if (!isOn || settings["hook_send_email_uri"] !== hook)
      return [
        wrong(
          isOn
            ? `The Send Email hook leads to ${show(settings["hook_send_email_uri"])}, not to ${hook}`
            : "The Send Email hook is off, and SEND_EMAIL_HOOK_SECRET is set",
          "Confirmations and new passwords are not sent by the dashboard, or not at all.",
          `Set it at ${hooks}`,
        ),
      ];
    const alsoOn = Object.keys(settings).flatMap((name) =>
      settings[name] === true ? (NOTIFICATIONS.exec(name)?.[1] ?? []) : [],
    );
    return alsoOn.length === 0
      ? []
      : [
          wrong(
            `Supabase sends notices of its own: ${alsoOn.join(", ")}`,
            "They are not sent: the dashboard writes about these changes itself.",
            `Turn them off at ${findSupabasePage(config, "auth/templates")}`,
          ),
        ];
  }
  if (isOn)
    return [
      wrong(
        "The Send Email hook is on, and SEND_EMAIL_HOOK_SECRET is not set",
        "Confirmations and new passwords are not sent.",
        `Set the secret that ${hooks} shows`,
      ),
    ];
  const findings: Finding[] = [];
  if (!settings["smtp_host"])
    findings.push(
      wrong(
        "Supabase’s own mail server sends the emails",
        "No one outside your team can join: it writes to no one else.",
        `Set one at ${findSupabasePage(config, "auth/smtp")}, or the hook at ${hooks}`,
      ),
    );
  const foreign = TEMPLATES.filter(
    (kind) => !String(settings[`mailer_templates_${kind}_content`] ?? "").includes(".TokenHash"),
  );
  if (foreign.length > 0)
    findings.push(
      wrong(
        `These templates are not those of supabase/templates: ${foreign.join(", ")}`,
        "Links in emails don’t lead to the dashboard’s own pages.",
        `\`supabase config push\`, or ${findSupabasePage(config, "auth/templates")}`,
      ),
    );
  return findings;
}

function judgeCaptcha(config: Config, settings: Settings): Finding[] {
  const isOn = settings["security_captcha_enabled"] === true;
  const provider = isOn ? String(settings["security_captcha_provider"] ?? "") : null;
  if (provider === (config.captcha?.provider ?? null)) return [];
  return [
    wrong(
      `The captcha is ${provider ?? "off"} in Supabase, and ${config.captcha?.provider ?? "off"} in the dashboard`,
      isOn
        ? "No one can sign in or join."
        : "At busy times sign-up shows a captcha, and no one checks the answer.",
      `Set the same in both: ${findSupabasePage(config, "auth/protection")} and CAPTCHA_PROVIDER`,
    ),
  ];
}

/** What to look at when there is no access token. */
function listByHand(config: Config): Finding[] {
  const page = (name: string) => findSupabasePage(config, name);
  const usesHook = config.sendEmailHookSecrets.length > 0;
  return [
    ...(findProject(config) === null
      ? []
      : [
          byHand(
            "With an access token in SUPABASE_ACCESS_TOKEN, the doctor checks the next ones itself.",
            "https://supabase.com/dashboard/account/tokens",
          ),
        ]),
    usesHook
      ? byHand(
          `Send Email hook: on, of the type HTTPS, with ${config.appUrl}/webhooks/auth-emails.`,
          page("auth/hooks"),
        )
      : byHand(
          "SMTP: on. Supabase’s own mail server only sends to your team, a few emails an hour.",
          page("auth/smtp"),
        ),
    ...(usesHook
      ? []
      : [
          byHand(
            "Templates: those of supabase/templates, with token_hash.",
            page("auth/templates"),
          ),
        ]),
    byHand(
      "Rate limits: IP address forwarding on, or all visitors share one limit; the numbers as in supabase/config.toml.",
      page("auth/rate-limits"),
    ),
    byHand(
      "Email: “Secure email change” on, and leaked-password protection off (the dashboard itself refuses passwords that are guessed first).",
      page("auth/providers?provider=Email"),
    ),
    byHand("Multi-factor: TOTP on (enroll and verify), phone off.", page("auth/mfa")),
    ...(config.captcha
      ? [
          byHand(
            `Captcha: ${config.captcha.provider}, with the secret of your site key.`,
            page("auth/protection"),
          ),
        ]
      : []),
  ];
}

/**
 * The settings that the auth service tells no one. The project's owner may ask the Management API for
 * them, with a token of their own; without one, they are listed.
 * @param accessToken from SUPABASE_ACCESS_TOKEN; it may do anything with the project, so it belongs in no file
 */
export async function checkProjectSettings(
  config: Config,
  accessToken: string | null,
): Promise<Finding[]> {
  if (isLocalStart(config)) return [fine("The other settings are those of supabase/config.toml")];
  const project = findProject(config);
  if (accessToken === null || project === null) return listByHand(config);
  const refused = (reason: string): Finding[] => [
    wrong(
      `The Management API of Supabase ${reason}`,
      "The next settings are left to be checked by hand.",
      "Copy an access token from https://supabase.com/dashboard/account/tokens into SUPABASE_ACCESS_TOKEN, for this command alone.",
    ),
    ...listByHand(config),
  ];
  try {
    const { status, json } = await ask(`${MANAGEMENT_API}/${project}/config/auth`, {
      headers: { Authorization: `Bearer ${accessToken}` },
    });
    if (status !== 200 || typeof json !== "object" || json === null)
      return refused(`answers ${status}`);
    const settings = json as Settings;
    const findings = [
      ...judgeSender(config, settings),
      ...judgeSettings(config, settings),
      ...judgeCaptcha(config, settings),
    ];
    return findings.length > 0
      ? findings
      : [fine("Hook, limits, passwords, second steps, and sessions are set as they should be")];
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return refused(error.message);
  }
}
