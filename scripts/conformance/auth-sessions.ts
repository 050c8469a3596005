import {
  type AuthServiceError,
  redeemEmailLink,
  refreshTokens,
  signOut,
  verifyPassword,
} from "~/integrations/supabase/auth.server";
import { createUserClient } from "~/integrations/supabase/clients.server";

import { PASSWORD } from "./accounts";
import type { Run } from "./run";

const RACERS = 10;
/** In the form of a refresh token. */
const UNKNOWN_TOKEN = "abcdefghijkl";

/** Refreshing: reuse, races, and a token that may have been stolen. */
export async function refresh(run: Run): Promise<void> {
  const { accounts, options } = run;
  const { email, tokens } = await accounts.create();
  const next = async (token: string) => (await refreshTokens(token)).refreshToken;
  await run.call("an unknown token", "refused refresh_token_not_found", () => next(UNKNOWN_TOKEN));
  await run.call("something that is no token", "refused validation_failed", () => next("none"));

  const first = tokens.refreshToken;
  const raced = await Promise.all(
    Array.from({ length: RACERS }, () => next(first).catch((error: Error) => error)),
  );
  const won = raced.filter((one): one is string => typeof one === "string");
  run.equal("ten tabs at once", String(RACERS), won.length);
  run.equal("they get one token", "1", new Set(won).size);
  const second = won[0] ?? "";
  const again = await run.call("the used token, at once", "ok", () => next(first));
  run.equal("it gives the current one", "yes", again === second ? "yes" : "no");
  await run.call("the current token", "ok", () => next(second));
  await run.call("a slow tab, with the token before the last", "ok", () => next(first));

  // One session each, since a refresh of a session can allow its older tokens once more.
  const begin = async () => {
    const older = (await accounts.signIn(email)).refreshToken;
    const last = await next(older);
    return { older, last, current: await next(last) };
  };
  const [lost, stolen] = [await begin(), await begin()];
  await options.passReuseInterval?.();
  const found = await run.call("an answer that was lost, later", "ok", () => next(lost.last));
  run.equal("it gives the current one again", "yes", found === lost.current ? "yes" : "no");
  await run.call("an older token, later", "refused refresh_token_already_used", () =>
    next(stolen.older),
  );
  // The service itself lets those that it has just ended be used once more within the interval.
  await options.passReuseInterval?.();
  const ended = await next(stolen.current).catch((error: AuthServiceError) => error.failure);
  run.equal("which ends the session", "refused", ended);
  const other = await accounts.signIn(email);
  await run.call("and no other", "ok", () => next(other.refreshToken));
}

/** The scopes of signing out. */
export async function signOutScopes(run: Run): Promise<void> {
  const { accounts, wire } = run;
  const { email, tokens: left } = await accounts.create();
  const state = async (token: string) => {
    const { code } = await wire.auth("GET", "user", { token });
    return code || "goes on";
  };
  for (const [scope, own, other] of [
    ["others", "goes on", "session_not_found"],
    ["local", "session_not_found", "goes on"],
    ["global", "session_not_found", "session_not_found"],
  ] as const) {
    const [here, there] = [await accounts.signIn(email), await accounts.signIn(email)];
    await run.call(`scope ${scope}`, "ok", () => signOut(here, scope));
    run.equal(`scope ${scope}: this session`, own, await state(here.accessToken));
    run.equal(`scope ${scope}: another session`, other, await state(there.accessToken));
  }
  await run.call("a session that has ended", "ok", () => signOut(left, "local"));
  await run.call("refreshing it", "refused refresh_token_not_found", () =>
    refreshTokens(left.refreshToken),
  );

  const [here, there] = [await accounts.signIn(email), await accounts.signIn(email)];
  await run.answer(
    "without a scope",
    "204",
    wire.auth("POST", "logout", { token: here.accessToken }),
  );
  run.equal(
    "without a scope: another session",
    "session_not_found",
    await state(there.accessToken),
  );
  await run.answer(
    "an unknown scope",
    "400 validation_failed",
    wire.auth("POST", "logout?scope=x", { token: (await accounts.signIn(email)).accessToken }),
  );

  // Its access token has not expired, and must have no rights nonetheless.
  const { data } = await createUserClient(here.accessToken).rpc("my_session");
  run.equal("the data API knows no ended session", "null", data);
}

/** Checking a password, and the sign-in link of the mobile app's hand-over. */
export async function otherSignIns(run: Run): Promise<void> {
  const { accounts, wire } = run;
  const { email, tokens } = await accounts.create();
  await run.call("checking a password", "ok", () => verifyPassword(email, PASSWORD));
  await run.call("checking a wrong one", "refused invalid_credentials", () =>
    verifyPassword(email, "wrong"),
  );
  await run.answer(
    "this session goes on",
    "200",
    wire.auth("GET", "user", { token: tokens.accessToken }),
  );
  const link = await accounts.link("magiclink", email);
  const handed = await run.call("a sign-in link", "ok", () => redeemEmailLink("email", link));
  run.equal("it signs in", "yes", handed ? "yes" : "no");
  await run.call("the same link again", "refused otp_expired", () =>
    redeemEmailLink("email", link),
  );
}
