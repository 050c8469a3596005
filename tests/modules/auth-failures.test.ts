/** What people read, and what is logged, for each error code of the auth service. */
import { beforeEach, describe, expect, it, vi } from "vitest";

import { AuthError } from "@supabase/supabase-js";

import { configure } from "../http/configure";

configure();
const { log } = await import("~/http/log.server");
const { AuthServiceError, throwIfFailed } = await import("~/integrations/supabase/auth.server");
const {
  explainEmailChangeFailure,
  explainPasswordFailure,
  explainSignInFailure,
  explainVisitorFailure,
} = await import("~/modules/accounts/auth-failures.server");
const { createScope, runInScope } = await import("~/integrations/upstream/request-scope.server");
const { AUTH_FAILURES } = await import("~/integrations/supabase/auth-errors");
const { explainCodeFailure } = await import("~/modules/two-step/code-failures.server");

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  for (const level of ["warn", "error"] as const)
    vi.spyOn(log(), level).mockImplementation(
      (line) => void lines.push({ ...(line as object), level }),
    );
});

const ways = {
  "a new password": explainPasswordFailure,
  "signing in": explainSignInFailure,
  "a visitor’s form": explainVisitorFailure,
  "a change of address": explainEmailChangeFailure,
  "a code of an app": explainCodeFailure,
};
type Way = keyof typeof ways;
const wayNames = Object.keys(ways) as Way[];

/** What people read at each form: the status, the field ("" for the form as a whole), and some of the words. */
type Answers = Record<Way, readonly [status: number, field: string, words: string]>;

const everywhere = (status: number, field: string, words: string): Answers => ({
  "a new password": [status, field, words],
  "signing in": [status, field, words],
  "a visitor’s form": [status, field, words],
  "a change of address": [status, field, words],
  "a code of an app": [status, field, words],
});
const WRONG_SIGN_IN = [400, "", "That email address and password don’t match"] as const;
const WRONG_CODE = [400, "app_code", "That code isn’t right"] as const;
const NO_LINK = [400, "", "Your link has expired or was already used"] as const;
const NO_ANSWER = [400, "", "We can’t reach the sign-in service"] as const;
const NOT_SAVED = [400, "", "it’s our fault"] as const;
/** What only some forms can be told, whose other errors have one sentence. */
const ELSEWHERE: Answers = {
  "a new password": NO_LINK,
  "signing in": WRONG_SIGN_IN,
  "a visitor’s form": NO_ANSWER,
  "a change of address": NOT_SAVED,
  "a code of an app": WRONG_CODE,
};

interface Published {
  answers: Answers;
  /** Whether the same request may succeed a little later. */
  retryHelps: boolean;
  logged: "warn" | "error" | null;
  codes: string;
}

/**
 * The codes of Supabase's docs ("Auth error codes") and of the service's source, version 2.196, by what they
 * say has happened.
 */
const CODES: Readonly<Record<string, Published>> = {
  "the service failed, or was busy": {
    answers: {
      ...everywhere(503, "", "We can’t reach the sign-in service right now"),
      "a change of address": [503, "", "we can’t tell whether your email change has started"],
    },
    retryHelps: true,
    logged: "warn",
    codes: `
    conflict hook_timeout hook_timeout_after_retry request_timeout sms_send_failed
    unexpected_failure`,
  },
  "too many attempts, or too many emails": {
    answers: {
      ...everywhere(429, "", "Too many attempts"),
      "a change of address": [429, "", "your email address hasn’t changed. Too many attempts"],
      "a code of an app": [429, "app_code", "Too many attempts"],
    },
    retryHelps: true,
    logged: "warn",
    codes: `
    over_email_send_rate_limit over_request_rate_limit over_sms_send_rate_limit`,
  },
  "a wrong password, a used link, or a session that is over": {
    answers: ELSEWHERE,
    retryHelps: false,
    logged: null,
    codes: `
    bad_code_verifier bad_jwt current_password_invalid email_not_confirmed
    flow_state_already_used flow_state_expired flow_state_not_found identity_not_found
    invalid_credentials invite_not_found no_authorization otp_expired phone_not_confirmed
    reauthentication_not_valid refresh_token_already_used refresh_token_not_found
    session_expired session_not_found user_banned user_not_found user_sso_managed`,
  },
  "an account that exists already": {
    answers: ELSEWHERE,
    retryHelps: false,
    logged: null,
    codes: `
    email_exists identity_already_exists phone_exists user_already_exists`,
  },
  "a wrong code of an app, or an app that was removed": {
    answers: ELSEWHERE,
    retryHelps: false,
    logged: null,
    codes: `
    mfa_challenge_expired mfa_factor_not_found mfa_verification_failed
    mfa_verification_rejected`,
  },
  "a password that is too easy": {
    answers: { ...ELSEWHERE, "a new password": [400, "password", "too easy to guess"] },
    retryHelps: false,
    logged: null,
    codes: `
    weak_password`,
  },
  "the password that the account has": {
    answers: { ...ELSEWHERE, "a new password": [400, "password", "already your password"] },
    retryHelps: false,
    logged: null,
    codes: `
    same_password`,
  },
  "a value that is malformed": {
    answers: {
      ...ELSEWHERE,
      "a new password": [400, "password", "That password can’t be used"],
      "a change of address": [400, "email", "we can’t send email to the new address"],
    },
    retryHelps: false,
    logged: null,
    codes: `
    validation_failed`,
  },
  "an address to which no email can go": {
    answers: {
      ...everywhere(400, "email", "We can’t send email to this address"),
      "a change of address": [400, "email", "we can’t send email to the new address"],
    },
    retryHelps: false,
    logged: "warn",
    codes: `
    email_address_invalid email_address_not_authorized email_address_not_provided`,
  },
  "a captcha that was not solved": {
    answers: everywhere(400, "", "We couldn’t verify that you’re a person"),
    retryHelps: false,
    logged: null,
    codes: `
    captcha_failed`,
  },
  "a session that is not trusted enough": {
    answers: everywhere(400, "", "please sign out, sign in again"),
    retryHelps: false,
    logged: null,
    codes: `
    current_password_required insufficient_aal mfa_ip_address_mismatch reauthentication_needed`,
  },
  "a project that is closed": {
    answers: everywhere(503, "", "This isn’t possible right now"),
    retryHelps: false,
    logged: "error",
    codes: `
    email_provider_disabled signup_disabled`,
  },
  "a project that is not set up for the app, or a request that is wrong": {
    answers: everywhere(500, "", "it’s our fault"),
    retryHelps: false,
    logged: "error",
    codes: `
    anonymous_provider_disabled bad_json bad_oauth_callback bad_oauth_state
    custom_provider_not_found email_conflict_identity_not_deletable feature_disabled
    hook_payload_invalid_content_type hook_payload_over_size_limit manual_linking_disabled
    mfa_factor_name_conflict mfa_phone_enroll_not_enabled mfa_phone_verify_not_enabled
    mfa_totp_enroll_not_enabled mfa_totp_verify_not_enabled mfa_verified_factor_exists
    mfa_webauthn_enroll_not_enabled mfa_webauthn_verify_not_enabled not_admin
    oauth_authorization_not_found oauth_client_not_found oauth_client_state_expired
    oauth_client_state_not_found oauth_consent_not_found
    oauth_dynamic_client_registration_disabled oauth_invalid_state
    oauth_provider_not_supported otp_disabled over_custom_provider_quota passkey_disabled
    phone_provider_disabled provider_disabled provider_email_needs_verification
    request_entity_too_large saml_assertion_no_email saml_assertion_no_user_id
    saml_entity_id_mismatch saml_idp_already_exists saml_idp_not_found
    saml_metadata_fetch_failed saml_provider_disabled saml_relay_state_expired
    saml_relay_state_not_found single_identity_not_deletable sso_domain_already_exists
    sso_provider_disabled sso_provider_not_found too_many_enrolled_mfa_factors
    too_many_passkeys unexpected_audience web3_provider_disabled web3_unsupported_chain
    webauthn_challenge_expired webauthn_challenge_not_found webauthn_credential_exists
    webauthn_credential_not_found webauthn_verification_failed`,
  },
};

/**
 * The statuses with which the service, version 2.196, answers these codes: each was provoked there, by
 * `npm run conformance` or with other settings. The others come with 400 here.
 */
const STATUSES: Readonly<Record<string, readonly string[]>> = {
  "401": words`insufficient_aal no_authorization`,
  "403": words`bad_jwt insufficient_aal mfa_verification_rejected not_admin
    oauth_dynamic_client_registration_disabled otp_expired session_not_found user_banned user_not_found`,
  "404": words`flow_state_not_found manual_linking_disabled mfa_factor_not_found
    oauth_authorization_not_found oauth_client_not_found oauth_consent_not_found passkey_disabled
    saml_provider_disabled sso_provider_not_found user_not_found validation_failed`,
  "413": words`request_entity_too_large`,
  "422": words`anonymous_provider_disabled email_exists email_provider_disabled flow_state_expired
    hook_payload_over_size_limit hook_timeout hook_timeout_after_retry insufficient_aal
    mfa_challenge_expired mfa_factor_name_conflict mfa_factor_not_found mfa_ip_address_mismatch
    mfa_phone_enroll_not_enabled mfa_totp_enroll_not_enabled mfa_totp_verify_not_enabled
    mfa_verification_failed mfa_webauthn_enroll_not_enabled otp_disabled phone_exists
    phone_provider_disabled reauthentication_not_valid same_password signup_disabled
    single_identity_not_deletable sms_send_failed too_many_enrolled_mfa_factors user_already_exists
    user_sso_managed weak_password web3_provider_disabled`,
  "429": words`over_email_send_rate_limit over_request_rate_limit`,
  "500": words`unexpected_failure`,
  "504": words`request_timeout`,
};

function words([text = ""]: TemplateStringsArray): string[] {
  return text.trim().split(/\s+/);
}

/** The statuses that a code comes with; `fallback` for one that was not provoked. */
function statusesOf(code: string, fallback: number): number[] {
  const seen = Object.keys(STATUSES).filter((status) => STATUSES[status]!.includes(code));
  return seen.length > 0 ? seen.map(Number) : [fallback];
}

/** An error as supabase-js makes it of an answer. */
function failWith(
  code: string,
  status = 400,
  message = "What it says: kai@people.example",
): InstanceType<typeof AuthServiceError> {
  try {
    throwIfFailed(new AuthError(message, status, code));
  } catch (error) {
    if (error instanceof AuthServiceError) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}
const sentences = ({ errors = {} }: { errors?: Record<string, string[]> }) =>
  Object.values(errors).flat().join(" ");

const published = Object.entries(CODES).flatMap(([what, { codes, ...expected }]) =>
  codes
    .trim()
    .split(/\s+/)
    .map((code) => ({ what, code, ...expected })),
);

it("each published code is asked about once", () => {
  const codes = published.map(({ code }) => code);
  expect(codes).toHaveLength(108);
  expect(new Set(codes).size).toBe(codes.length);
});

describe.each(published)("$code, $what", ({ code, answers, retryHelps, logged }) => {
  const statuses = statusesOf(code, answers["signing in"][0] === 429 ? 429 : 400);

  it("is answered at its field of each form", () => {
    for (const given of statuses)
      for (const way of wayNames) {
        lines = [];
        const [status, field, words] = answers[way];
        const answer = ways[way](failWith(code, given));
        expect({ way, status: answer.status, fields: Object.keys(answer.errors ?? {}) }).toEqual({
          way,
          status,
          fields: [field],
        });
        expect(sentences(answer), way).toContain(words);
        expect(
          lines.map(({ level }) => level),
          way,
        ).toEqual(logged === null ? [] : [logged]);
      }
  });

  it(retryHelps ? "may succeed later" : "will not succeed later", () => {
    for (const given of statuses) {
      const { failure } = failWith(code, given);
      expect(AUTH_FAILURES[failure].retryHelps, failure).toBe(retryHelps);
    }
  });
});

it("a line names the call, its status, and what the user read at each form, and no address", () => {
  const call = { name: "supabase auth user", status: 429, ms: 5 };
  const scope = { ...createScope("r-1"), failedCall: call };
  for (const [code, upstreamStatus] of [
    ["over_email_send_rate_limit", 429],
    ["email_address_invalid", 400],
    ["brand_new_code", 400],
  ] as const)
    for (const [way, explain] of Object.entries(ways)) {
      lines = [];
      const answer = runInScope(scope, () => explain(failWith(code, upstreamStatus)));
      expect(lines, way).toMatchObject([
        { code, upstreamStatus, call, status: answer.status, shown: sentences(answer) },
      ]);
      expect(JSON.stringify(lines)).not.toContain("kai");
    }
});

it("a code that is not in the list is our fault, and logged in full, without an address", () => {
  for (const [way, explain] of Object.entries(ways)) {
    lines = [];
    const answer = explain(failWith("new_code_of_next_year"));
    expect(sentences(answer), way).toContain("it’s our fault");
    expect(lines, way).toMatchObject([
      { level: "error", code: "new_code_of_next_year", reason: "What it says: [email]" },
    ]);
  }
});

it("an address that can’t be used is not quoted in the log, in which almost any character is allowed", () => {
  lines = [];
  explainPasswordFailure(
    failWith("email_address_invalid", 400, 'Email address "kai \u200b@people" is invalid'),
  );
  expect(lines).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain("kai");
});

it("a failure of the service is no one’s mistake, whatever its code", () => {
  for (const explain of Object.values(ways)) {
    for (const code of ["invalid_credentials", "weak_password", ""])
      expect(explain(failWith(code, 500)).status).toBe(503);
    // The gateway did not accept our key.
    expect(explain(failWith("", 401)).status).toBe(503);
  }
});

it("no one learns from a failed sign-in whether there is an account", () => {
  const answers = [
    "invalid_credentials",
    "email_not_confirmed",
    "user_not_found",
    "user_banned",
  ].map((code) => explainSignInFailure(failWith(code)));
  for (const answer of answers) expect(answer).toEqual(answers[0]);
});

it("a weak password is rejected as weak, and the current one as unchanged", () => {
  expect(explainPasswordFailure(failWith("weak_password")).errors).toEqual({
    password: ["That password is too easy to guess. Please choose another."],
  });
  expect(explainPasswordFailure(failWith("same_password")).errors).toEqual({
    password: [
      "That’s already your password. If you’ve just chosen it, it’s saved. Otherwise, please choose another.",
    ],
  });
});
