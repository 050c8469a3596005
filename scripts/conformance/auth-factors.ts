import { readTokenClaims } from "~/integrations/supabase/access-token";
import {
  refreshTokens,
  setPassword,
  signIn,
  type Tokens,
} from "~/integrations/supabase/auth.server";
import {
  challengeFactor,
  enrollFactor,
  verifyFactor,
} from "~/integrations/supabase/factors.server";

import { makeTotpCode } from "../../local/hosted-factors";

import { PASSWORD } from "./accounts";
import type { Run } from "./run";

const MAX_FACTORS = 10;
const NO_ID = "00000000-0000-4000-8000-000000000000";

const levelOf = (tokens: Tokens | undefined) =>
  tokens ? readTokenClaims(tokens.accessToken)?.["aal"] : "no tokens";

const enterCode = async (tokens: Tokens, factor: string, code: string) =>
  verifyFactor(tokens, factor, await challengeFactor(tokens, factor), code);

/** The second step of sign-in: an authenticator app from its first code to its removal. */
export async function factors(run: Run): Promise<void> {
  const { accounts, wire } = run;
  const { id, email, tokens } = await accounts.create();
  const elsewhere = await accounts.signIn(email);
  run.equal("the level of a password", "aal1", levelOf(tokens));

  const app = await run.call("adding an app", "ok", () => enrollFactor(tokens, "Conformance"));
  if (!app) return;
  const again = await run.call("adding it again replaces it", "ok", () =>
    enrollFactor(tokens, "Conformance"),
  );
  const factor = again ?? app;
  await run.call("a wrong code", "wrong-code mfa_verification_failed", () =>
    enterCode(tokens, factor.id, makeTotpCode(factor.secret, Date.now() - 600_000)),
  );
  await run.call("an app that was replaced", "no-factor mfa_factor_not_found", () =>
    enterCode(tokens, app.id, makeTotpCode(app.secret)),
  );
  const raised = await run.call("its code", "ok", () =>
    enterCode(tokens, factor.id, makeTotpCode(factor.secret)),
  );
  if (!raised) return;
  run.equal("the level of its code", "aal2", levelOf(raised));
  await run.answer(
    "the sessions without a second step end",
    "403 session_not_found",
    wire.auth("GET", "user", { token: elsewhere.accessToken }),
  );
  const refreshed = await run.call("refreshing", "ok", () => refreshTokens(raised.refreshToken));
  run.equal("the level stays", "aal2", levelOf(refreshed));

  const below = await signIn(email, PASSWORD);
  run.equal("the next sign-in has a second step", "true", below.secondStepDue);
  await run.call("a password below the second step", "step-up insufficient_aal", () =>
    setPassword(below.tokens, "another password 8"),
  );
  const path = `factors/${factor.id}`;
  const low = { token: below.tokens.accessToken };
  const high = { token: (refreshed ?? raised).accessToken };
  const totp = (name: string) => ({ factor_type: "totp", friendly_name: name });
  await run.answer(
    "an email address below the second step",
    "401 insufficient_aal",
    wire.auth("PUT", "user", { ...low, body: { email: accounts.newAddress() } }),
  );
  await run.answer(
    "adding an app below it",
    "403 insufficient_aal",
    wire.auth("POST", "factors", { ...low, body: totp("Second") }),
  );
  await run.answer(
    "removing the app below it",
    "422 insufficient_aal",
    wire.auth("DELETE", path, low),
  );
  await run.answer(
    "an app of the same name",
    "422 mfa_factor_name_conflict",
    wire.auth("POST", "factors", { ...high, body: totp("Authenticator app") }),
  );
  await run.answer(
    "an app of another user",
    "404 mfa_factor_not_found",
    wire.auth("DELETE", path, { token: (await accounts.create()).tokens.accessToken }),
  );
  await run.answer(
    "an app that does not exist",
    "404 mfa_factor_not_found",
    wire.auth("POST", `factors/${NO_ID}/challenge`, { ...high, body: {} }),
  );
  await run.answer(
    "an app whose id is none",
    "404 validation_failed",
    wire.auth("POST", "factors/x/challenge", { ...high, body: {} }),
  );
  await run.answer(
    "a phone",
    "422 mfa_phone_enroll_not_enabled",
    wire.auth("POST", "factors", {
      ...high,
      body: { factor_type: "phone", phone: "+15555550100" },
    }),
  );
  await run.answer(
    "a passkey",
    "422 mfa_webauthn_enroll_not_enabled",
    wire.auth("POST", "factors", { ...high, body: { factor_type: "webauthn" } }),
  );
  await run.answer(
    "another kind",
    "400 validation_failed",
    wire.auth("POST", "factors", { ...high, body: { factor_type: "x" } }),
  );

  const verify = (fields: object) => wire.auth("POST", `${path}/verify`, { ...high, body: fields });
  await run.answer(
    "a code without a challenge",
    "422 mfa_factor_not_found",
    verify({ challenge_id: NO_ID, code: "123456" }),
  );
  const challenge = await run.answer(
    "a challenge",
    "200",
    wire.auth("POST", `${path}/challenge`, { ...high, body: {} }),
  );
  const challengeId = challenge.body["id"];
  await run.answer(
    "no code",
    "400 validation_failed",
    verify({ challenge_id: challengeId, code: "" }),
  );
  const code = makeTotpCode(factor.secret);
  await run.answer("a second code", "200", verify({ challenge_id: challengeId, code }));
  await run.answer(
    "a challenge that was used",
    "422 mfa_ip_address_mismatch",
    verify({ challenge_id: challengeId, code }),
  );

  for (let count = 2; count <= MAX_FACTORS; count += 1)
    await wire.auth("POST", "factors", { ...high, body: totp(`App ${count}`) });
  await run.answer(
    "too many apps",
    "422 too_many_enrolled_mfa_factors",
    wire.auth("POST", "factors", { ...high, body: totp("One more") }),
  );

  await run.answer("removing the app", "200", wire.auth("DELETE", path, high));
  const { tokens: afterwards, secondStepDue } = await signIn(email, PASSWORD);
  run.equal("a sign-in afterwards has no second step", "false", secondStepDue);
  await run.call("a password afterwards", "ok", () =>
    setPassword(afterwards, "another password 8"),
  );

  const admin = `users/${id}/factors`;
  const listed = await run.answer("the list for the server", "200", wire.admin("GET", admin));
  const [left] = Object.values(listed.body) as { id: string; status: string }[];
  run.equal("the apps that were never used", "unverified", left?.status);
  await run.answer("removed by the server", "200", wire.admin("DELETE", `${admin}/${left?.id}`));
  await run.answer(
    "and again",
    "404 mfa_factor_not_found",
    wire.admin("DELETE", `${admin}/${left?.id}`),
  );
}
