/**
 * What each error code of the auth service means to the app. The codes are those of Supabase's docs
 * ("Auth error codes") and of the service's own source, version 2.196. Pure.
 */

/** What follows from a failure, wherever it happens. */
interface Consequence {
  /** Whether the same request can succeed a little later. */
  retryHelps: boolean;
  /** What someone who runs the server should see: nothing, for what users cause. */
  log: "nothing" | "warning" | "error";
}

/**
 * The kinds of failures, as far as the app makes a difference:
 * - `unavailable`  no answer, or the service failed: the outcome is not known
 * - `limited`      too many attempts, or too many emails
 * - `refused`      wrong, used, or expired credentials and links; an address that isn't confirmed, which must
 *                  not be told apart; a session that is over
 * - `invalid`      what was sent is malformed: an address, a password that is too long, a garbled token
 * - `weak-password`, `same-password`
 * - `wrong-code`   of an authenticator app
 * - `no-factor`    the authenticator app was removed, or adding it took too long
 * - `known`        the address has an account already
 * - `address`      no email can be sent to this address
 * - `captcha`      it was not solved, or used twice
 * - `step-up`      the session is too old, or has not passed its second step
 * - `closed`       the project takes no new accounts, or no sign-in with a password
 * - `setup`        the project is not set up as the app needs it, or the app's request was wrong
 * - `unknown`      a code that is not in the list
 */
export const AUTH_FAILURES = {
  unavailable: { retryHelps: true, log: "warning" },
  limited: { retryHelps: true, log: "warning" },
  refused: { retryHelps: false, log: "nothing" },
  invalid: { retryHelps: false, log: "nothing" },
  "weak-password": { retryHelps: false, log: "nothing" },
  "same-password": { retryHelps: false, log: "nothing" },
  "wrong-code": { retryHelps: false, log: "nothing" },
  "no-factor": { retryHelps: false, log: "nothing" },
  known: { retryHelps: false, log: "nothing" },
  address: { retryHelps: false, log: "warning" },
  captcha: { retryHelps: false, log: "nothing" },
  "step-up": { retryHelps: false, log: "nothing" },
  closed: { retryHelps: false, log: "error" },
  setup: { retryHelps: false, log: "error" },
  unknown: { retryHelps: false, log: "error" },
} as const satisfies Record<string, Consequence>;

export type AuthFailure = keyof typeof AUTH_FAILURES;

const CODES = {
  unavailable: [
    "unexpected_failure",
    "request_timeout",
    "conflict",
    "hook_timeout",
    "hook_timeout_after_retry",
    "sms_send_failed",
  ],
  limited: ["over_request_rate_limit", "over_email_send_rate_limit", "over_sms_send_rate_limit"],
  refused: [
    "invalid_credentials",
    "email_not_confirmed",
    "phone_not_confirmed",
    "user_not_found",
    "user_banned",
    "user_sso_managed",
    "otp_expired",
    "bad_jwt",
    "no_authorization",
    "session_not_found",
    "session_expired",
    "refresh_token_not_found",
    "refresh_token_already_used",
    "flow_state_not_found",
    "flow_state_expired",
    "flow_state_already_used",
    "bad_code_verifier",
    "invite_not_found",
    "reauthentication_not_valid",
    "current_password_invalid",
    "identity_not_found",
  ],
  invalid: ["validation_failed"],
  "weak-password": ["weak_password"],
  "same-password": ["same_password"],
  "wrong-code": ["mfa_verification_failed", "mfa_verification_rejected", "mfa_challenge_expired"],
  "no-factor": ["mfa_factor_not_found"],
  known: ["user_already_exists", "email_exists", "phone_exists", "identity_already_exists"],
  address: ["email_address_invalid", "email_address_not_authorized", "email_address_not_provided"],
  captcha: ["captcha_failed"],
  "step-up": [
    "insufficient_aal",
    "reauthentication_needed",
    "current_password_required",
    "mfa_ip_address_mismatch",
  ],
  closed: ["signup_disabled", "email_provider_disabled"],
  setup: [
    "bad_json",
    "not_admin",
    "request_entity_too_large",
    "otp_disabled",
    "feature_disabled",
    "hook_payload_invalid_content_type",
    "hook_payload_over_size_limit",
    "mfa_totp_enroll_not_enabled",
    "mfa_totp_verify_not_enabled",
    "mfa_factor_name_conflict",
    "mfa_verified_factor_exists",
    "too_many_enrolled_mfa_factors",
    // Codes about what the app never asks for: phones, other providers, single sign-on, passkeys.
    "anonymous_provider_disabled",
    "bad_oauth_callback",
    "bad_oauth_state",
    "custom_provider_not_found",
    "email_conflict_identity_not_deletable",
    "manual_linking_disabled",
    "mfa_phone_enroll_not_enabled",
    "mfa_phone_verify_not_enabled",
    "mfa_webauthn_enroll_not_enabled",
    "mfa_webauthn_verify_not_enabled",
    "oauth_authorization_not_found",
    "oauth_client_not_found",
    "oauth_client_state_expired",
    "oauth_client_state_not_found",
    "oauth_consent_not_found",
    "oauth_dynamic_client_registration_disabled",
    "oauth_invalid_state",
    "oauth_provider_not_supported",
    "over_custom_provider_quota",
    "passkey_disabled",
    "phone_provider_disabled",
    "provider_disabled",
    "provider_email_needs_verification",
    "saml_assertion_no_email",
    "saml_assertion_no_user_id",
    "saml_entity_id_mismatch",
    "saml_idp_already_exists",
    "saml_idp_not_found",
    "saml_metadata_fetch_failed",
    "saml_provider_disabled",
    "saml_relay_state_expired",
    "saml_relay_state_not_found",
    "single_identity_not_deletable",
    "sso_domain_already_exists",
    "sso_provider_disabled",
    "sso_provider_not_found",
    "too_many_passkeys",
    "unexpected_audience",
    "web3_provider_disabled",
    "web3_unsupported_chain",
    "webauthn_challenge_expired",
    "webauthn_challenge_not_found",
    "webauthn_credential_exists",
    "webauthn_credential_not_found",
    "webauthn_verification_failed",
  ],
} as const satisfies Partial<Record<AuthFailure, readonly string[]>>;

const failureByCode = new Map<string, AuthFailure>(
  Object.entries(CODES).flatMap(([failure, codes]) =>
    codes.map((code) => [code, failure as AuthFailure] as const),
  ),
);

/**
 * The kind of a failure.
 * @param code of the error; empty when it has none
 * @param status of the answer; undefined when there was none
 */
export function classifyAuthError(code: string, status: number | undefined): AuthFailure {
  if ((status ?? 500) >= 500) return "unavailable";
  if (status === 429) return "limited";
  // The gateway did not accept our key; the auth service never saw the user's credentials.
  if (status === 401 && !code) return "unavailable";
  return failureByCode.get(code) ?? "unknown";
}
