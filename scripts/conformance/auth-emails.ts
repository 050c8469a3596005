import { randomBytes } from "node:crypto";

import {
  checkAuthService,
  redeemEmailLink,
  requestEmailChange,
  sendRecoveryEmail,
  setPassword,
  signIn,
  signUp,
} from "~/integrations/supabase/auth.server";

import { PASSWORD } from "./accounts";
import type { Run } from "./run";

const OTHER = "a quite different password 7";

/** Sign-up, a known address, and the confirmation. Sends three emails. */
export async function signUpAndConfirm(run: Run): Promise<void> {
  const { accounts, wire, target } = run;
  await run.call("the service answers", "ok", checkAuthService);

  const email = accounts.newAddress();
  const proof = randomBytes(33).toString("base64url").slice(0, 43);
  const answers = { full_name: "Conformance Check", sign_up_proof: proof };
  await run.call("a new address", "ok", () => signUp(email, PASSWORD, answers));
  await run.call("again at once", "limited over_email_send_rate_limit", () =>
    signUp(email, PASSWORD, answers),
  );
  // The account has no password yet (private.hold_password), so that no one learns of it.
  await run.call("sign-in before the confirmation", "refused invalid_credentials", () =>
    signIn(email, PASSWORD),
  );

  const link = await accounts.link("signup", email, { password: PASSWORD });
  const address = await wire.data("POST", "rpc/target_of_link", {
    token: target.secretKey,
    body: { token_hash: link },
  });
  run.equal("the address of a link", email, address.body["address"]);
  const recognized = await wire.data("POST", "rpc/recognize_sign_up", {
    token: target.secretKey,
    body: { token_hash: link, proof },
  });
  run.equal("the browser that signed up", "true", recognized.body["body"]);
  const tokens = await run.call("the confirmation", "ok", () => redeemEmailLink("email", link));
  run.equal("the confirmation signs in", "yes", tokens ? "yes" : "no");
  await run.call("the same link again", "refused otp_expired", () =>
    redeemEmailLink("email", link),
  );
  await run.call("sign-in after the confirmation", "ok", () => signIn(email, PASSWORD));
  await run.call("a wrong password", "refused invalid_credentials", () => signIn(email, OTHER));
  const session = await wire.data("POST", "rpc/my_session", {
    token: tokens?.accessToken ?? "",
    body: {},
  });
  run.equal("the profile of a new account", "Conformance Check", session.body["full_name"]);

  const unrecognized = accounts.newAddress();
  await run.call("another new address", "ok", () => signUp(unrecognized, PASSWORD, {}));
  const otherLink = await accounts.link("signup", unrecognized, { password: PASSWORD });
  const otherTokens = await run.call("a confirmation in another browser", "ok", () =>
    redeemEmailLink("email", otherLink),
  );
  await run.call("its password does not count", "refused invalid_credentials", () =>
    signIn(unrecognized, PASSWORD),
  );
  if (otherTokens) await run.call("choosing one", "ok", () => setPassword(otherTokens, PASSWORD));
  await run.call("sign-in with the chosen one", "ok", () => signIn(unrecognized, PASSWORD));

  await run.call("a known address", "ok", () => signUp(email, OTHER, {}));
  await run.call("its password stays", "ok", () => signIn(email, PASSWORD));
  const fields = { password: OTHER, data: {} };
  const known = await wire.auth("POST", "signup", { body: { email, ...fields } });
  const unknown = await wire.auth("POST", "signup", {
    body: { email: accounts.newAddress(), ...fields },
  });
  run.equal(
    "the status for a known and for an unknown address",
    "200 200",
    `${known.status} ${unknown.status}`,
  );
  run.equal("what tells them apart", "nothing", findTells(known.body, unknown.body));
  const id = session.body["user_id"];
  run.equal("a known address, its id", "hidden", known.body["id"] === id ? id : "hidden");
}

/** The fields of two accounts that are filled in one of them only. */
function findTells(known: Record<string, unknown>, unknown: Record<string, unknown>): string {
  const keysOf = (value: unknown) =>
    typeof value === "object" && value !== null ? Object.keys(value).sort().join() : "";
  const filled = (value: unknown) => (typeof value === "string" ? value !== "" : keysOf(value));
  const fields = [...new Set([...Object.keys(known), ...Object.keys(unknown)])].sort();
  return (
    fields.filter((name) => filled(known[name]) !== filled(unknown[name])).join(" ") || "nothing"
  );
}

/** A forgotten password. Sends one email. */
export async function recover(run: Run): Promise<void> {
  const { accounts, wire } = run;
  const { email, tokens: before } = await accounts.create();
  await run.call("an account", "ok", () => sendRecoveryEmail(email));
  await run.call("again at once", "limited over_email_send_rate_limit", () =>
    sendRecoveryEmail(email),
  );
  await run.call("an address without an account", "ok", () =>
    sendRecoveryEmail(accounts.newAddress()),
  );
  const link = await accounts.link("recovery", email);
  const tokens = await run.call("its link", "ok", () => redeemEmailLink("recovery", link));
  await run.call("the same link again", "refused otp_expired", () =>
    redeemEmailLink("recovery", link),
  );
  if (!tokens) return;
  await run.call("a password that is too short", "weak-password weak_password", () =>
    setPassword(tokens, "short"),
  );
  await run.call("a password of more than 72 bytes", "invalid validation_failed", () =>
    setPassword(tokens, `${OTHER} `.repeat(4)),
  );
  await run.call("the same password", "same-password same_password", () =>
    setPassword(tokens, PASSWORD),
  );
  await run.call("a new password", "ok", () => setPassword(tokens, OTHER));
  await run.call("the old password", "refused invalid_credentials", () => signIn(email, PASSWORD));
  await run.call("sign-in with the new password", "ok", () => signIn(email, OTHER));
  const user = (token: string) => wire.auth("GET", "user", { token });
  await run.answer("the session that set it goes on", "200", user(tokens.accessToken));
  await run.answer("the others end", "403 session_not_found", user(before.accessToken));
}

/** A change of address, which both addresses confirm. Sends two emails. */
export async function changeEmail(run: Run): Promise<void> {
  const { accounts, wire } = run;
  for (const [first, second] of [
    ["email_change_current", "email_change_new"],
    ["email_change_new", "email_change_current"],
  ] as const) {
    const from =
      first === "email_change_current" ? "the old address first" : "the new address first";
    const { email, tokens } = await accounts.create();
    const newEmail = accounts.newAddress();
    if (first === "email_change_current") {
      const known = (await accounts.create()).email;
      await run.answer(
        "to a known address",
        "422 email_exists",
        wire.auth("PUT", "user", { token: tokens.accessToken, body: { email: known } }),
      );
      await run.call("to a known address, in the app", "ok", () =>
        requestEmailChange(tokens, known),
      );
      await run.call("to a new address", "ok", () => requestEmailChange(tokens, newEmail));
      await run.call("to another one at once", "limited over_email_send_rate_limit", () =>
        requestEmailChange(tokens, accounts.newAddress()),
      );
      await run.call("to the same one again, as when its response was lost", "ok", () =>
        requestEmailChange(tokens, newEmail),
      );
    }
    const links = {
      [first]: await accounts.link(first, email, { new_email: newEmail }),
      [second]: await accounts.link(second, email, { new_email: newEmail }),
    };
    const emailFor = async (token: string) =>
      (await wire.auth("GET", "user", { token })).body["email"];
    const half = await run.call(`${from}: the first link`, "ok", () =>
      redeemEmailLink("email_change", links[first]!),
    );
    run.equal(`${from}: the first link signs no one in`, "null", half);
    await run.call(`${from}: the first link again`, "refused otp_expired", () =>
      redeemEmailLink("email_change", links[first]!),
    );
    run.equal(`${from}: nothing has changed yet`, email, await emailFor(tokens.accessToken));
    const changed = await run.call(`${from}: the second link`, "ok", () =>
      redeemEmailLink("email_change", links[second]!),
    );
    run.equal(`${from}: the second link signs in`, "yes", changed ? "yes" : "no");
    // In the session that the link brought: the earlier ones have ended (private.copy_account_email).
    if (changed)
      run.equal(`${from}: the address has changed`, newEmail, await emailFor(changed.accessToken));
    await run.call(`${from}: sign-in with the old address`, "refused invalid_credentials", () =>
      signIn(email, PASSWORD),
    );
    await run.call(`${from}: sign-in with the new address`, "ok", () => signIn(newEmail, PASSWORD));
  }
}
