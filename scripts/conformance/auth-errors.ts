import { createHmac } from "node:crypto";

import { refreshTokens, signIn } from "~/integrations/supabase/auth.server";

import { PASSWORD } from "./accounts";
import type { Run } from "./run";

const NO_ID = "00000000-0000-4000-8000-000000000000";
const OVER_A_MEGABYTE = 1_100_000;
/** More than the auth service takes from one address at once. */
const TOO_MANY = 60;

/** The error codes of the auth service that requests alone can provoke. */
export async function errorCodes(run: Run): Promise<void> {
  const { accounts, wire } = run;
  const { id, email, tokens } = await accounts.create();
  const token = tokens.accessToken;
  const post = (what: string, expected: string, path: string, body: unknown, as?: string) =>
    run.answer(what, expected, wire.auth("POST", path, { body, ...(as ? { token: as } : {}) }));
  const get = (what: string, expected: string, path: string, as?: string) =>
    run.answer(what, expected, wire.auth("GET", path, as ? { token: as } : {}));

  await run.answer(
    "no JSON",
    "400 bad_json",
    wire.auth("POST", "token?grant_type=password", { raw: "{" }),
  );
  await run.answer(
    "a body of over a megabyte",
    "413 request_entity_too_large",
    wire.auth("POST", "token?grant_type=password", {
      body: { email, password: "x".repeat(OVER_A_MEGABYTE) },
    }),
  );
  await post("an unknown grant", "400 invalid_credentials", "token?grant_type=x", {});
  await post("sign-in without an email", "400 validation_failed", "token?grant_type=password", {
    password: PASSWORD,
  });
  await post("sign-in with a phone", "422 phone_provider_disabled", "token?grant_type=password", {
    phone: "+15555550100",
    password: PASSWORD,
  });
  await post("a code of no flow", "404 flow_state_not_found", "token?grant_type=pkce", {
    auth_code: NO_ID,
    code_verifier: "x".repeat(43),
  });
  await post("a wallet", "422 web3_provider_disabled", "token?grant_type=web3", {
    chain: "solana",
    message: "x",
    signature: "x",
  });
  await post("a token of Google", "400 provider_disabled", "token?grant_type=id_token", {
    provider: "google",
    id_token: "x",
  });
  await post(
    "refreshing without a token",
    "400 validation_failed",
    "token?grant_type=refresh_token",
    {},
  );

  const address = accounts.newAddress();
  await post("sign-up without anything", "422 anonymous_provider_disabled", "signup", {});
  await post("sign-up without a password", "400 validation_failed", "signup", { email: address });
  await post("sign-up with something that is no email", "400 validation_failed", "signup", {
    email: "no email",
    password: PASSWORD,
  });
  await post("sign-up with a short password", "422 weak_password", "signup", {
    email: address,
    password: "short",
  });
  await post("sign-up with a long password", "400 validation_failed", "signup", {
    email: address,
    password: "x".repeat(80),
  });
  await post("sign-up with a phone", "400 phone_provider_disabled", "signup", {
    phone: "+15555550100",
    password: PASSWORD,
  });
  await post("a code for a new address without sign-up", "422 otp_disabled", "otp", {
    email: address,
    create_user: false,
  });
  await post("recovery without an email", "400 validation_failed", "recover", {});
  await post("sending again what does not exist", "400 validation_failed", "resend", {
    type: "x",
    email,
  });
  await post("single sign-on", "404 saml_provider_disabled", "sso", { domain: "example.org" });

  await post("a link that does not exist", "403 otp_expired", "verify", {
    type: "email",
    token_hash: "none",
  });
  await post("a link without a type", "400 validation_failed", "verify", { token_hash: "none" });
  await post("a code that does not exist", "403 otp_expired", "verify", {
    type: "email",
    email,
    token: "123456",
  });

  await get("a user without a token", "401 no_authorization", "user");
  await get("a garbled token", "403 bad_jwt", "user", "garbled");
  await get("a token with another signature", "403 bad_jwt", "user", resigned(token));
  await get(
    "linking another account",
    "404 manual_linking_disabled",
    "user/identities/authorize?provider=google",
    token,
  );
  await get("a provider that is off", "400 validation_failed", "authorize?provider=google");
  await run.answer("changing nothing", "200", wire.auth("PUT", "user", { token, body: {} }));
  await run.answer(
    "a phone for the account",
    "400 validation_failed",
    wire.auth("PUT", "user", { token, body: { phone: "no phone" } }),
  );
  await post("passkeys", "404 passkey_disabled", "passkeys/authentication/options", {});

  await get("an admin's page for a user", "403 not_admin", "admin/users", token);
  await get("an admin's page for a visitor", "401 no_authorization", "admin/users");
  await run.answer(
    "a user that does not exist",
    "404 user_not_found",
    wire.admin("GET", `users/${NO_ID}`),
  );
  await run.answer(
    "a user whose id is none",
    "404 validation_failed",
    wire.admin("GET", "users/x"),
  );
  await run.answer(
    "creating a known account",
    "422 email_exists",
    wire.admin("POST", "users", { email, password: PASSWORD }),
  );
  await run.answer(
    "creating an account without an address",
    "400 validation_failed",
    wire.admin("POST", "users", {}),
  );
  await run.answer(
    "a link for no one",
    "404 user_not_found",
    wire.admin("POST", "generate_link", { type: "recovery", email: address }),
  );
  await run.answer(
    "a link of an unknown kind",
    "400 validation_failed",
    wire.admin("POST", "generate_link", { type: "x", email }),
  );
  await run.answer(
    "a sign-up link for a known account",
    "422 email_exists",
    wire.admin("POST", "generate_link", { type: "signup", email, password: PASSWORD }),
  );
  await post(
    "a link for a user",
    "403 not_admin",
    "admin/generate_link",
    { type: "magiclink", email },
    token,
  );
  await run.answer(
    "a single sign-on provider that does not exist",
    "404 sso_provider_not_found",
    wire.admin("GET", `sso/providers/${NO_ID}`),
  );

  await run.answer("deleting", "200", wire.admin("DELETE", `users/${id}`));
  await get("a user who was deleted", "403 user_not_found", "user", token);
}

/** What an account that an administrator of the project has banned can still do. */
export async function bans(run: Run): Promise<void> {
  const { accounts, wire } = run;
  const { id, email, tokens } = await accounts.create();
  const ban = (ban_duration: string) => wire.admin("PUT", `users/${id}`, { ban_duration });
  await run.answer("banning", "200", ban("1h"));
  await run.answer(
    "a session",
    "403 user_banned",
    wire.auth("GET", "user", { token: tokens.accessToken }),
  );
  await run.call("sign-in", "refused user_banned", () => signIn(email, PASSWORD));
  await run.call("refreshing", "refused user_banned", () => refreshTokens(tokens.refreshToken));
  await run.answer("ending the ban", "200", ban("none"));
  await run.call("sign-in afterwards", "ok", () => signIn(email, PASSWORD));
}

/** The limit on one address, after which the auth service needs minutes: the last part of a run. */
export async function rateLimit(run: Run): Promise<void> {
  const codes = new Set<string>();
  for (let count = 0; count < TOO_MANY && !codes.has("over_request_rate_limit"); count += 1) {
    const answer = await run.wire.once("POST", "/auth/v1/verify", {
      body: { type: "email", token_hash: `none ${count}` },
    });
    codes.add(answer.code);
  }
  run.equal(
    "many links that do not exist",
    "yes",
    codes.has("over_request_rate_limit") ? "yes" : "no",
  );
}

/** The same token with a signature of someone else. */
function resigned(token: string): string {
  const [header, payload] = token.split(".");
  const signature = createHmac("sha256", "someone else")
    .update(`${header}.${payload}`)
    .digest("base64url");
  return `${header}.${payload}.${signature}`;
}
