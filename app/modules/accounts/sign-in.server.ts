import { setTimeout as pause } from "node:timers/promises";

import { log } from "~/http/log.server";
import {
  countAttempt,
  getClientNetwork,
  refuseAttempt,
  releaseAttempt,
  type RateLimit,
} from "~/http/rate-limit.server";
import { AuthServiceError, signIn, type SignedIn } from "~/integrations/supabase/auth.server";

const MINUTES = 60;
/**
 * Wrong passwords for one account from one network. Only these decide whether a password is tried.
 */
const PER_ACCOUNT = { name: "login", max: 10, windowSeconds: 15 * MINUTES };
/** The same once the network, or the whole service, has seen too many wrong ones. */
const PER_ACCOUNT_UNDER_ATTACK = { name: "login-guarded", max: 3, windowSeconds: 15 * MINUTES };
const PER_VISITOR = { name: "login-visitor", max: 60, windowSeconds: 15 * MINUTES };
const EVERYWHERE = { name: "login-all", max: 1_000, windowSeconds: 15 * MINUTES };
const PAUSE_MS = 2_000;
/** The auth service answers sooner for an unknown address, since it has no password to compare. */
const FAILED_AFTER_MS = 600;

/**
 * Signs in with email and password, within limits. Many people may share one network (a proxy, a
 * library), so too many wrong passwords there reject no one: they make each attempt slower, and
 * leave fewer for each account. Someone who tries a list of leaked passwords gets three for an
 * account, at two seconds each. Attempts with the right password are not counted, and neither are those that the
 * service doesn't answer: the page asks people to try again.
 * @throws HttpError 429 with Retry-After, AuthServiceError
 */
export async function signInWithinLimits(
  request: Request,
  email: string,
  password: string,
): Promise<SignedIn> {
  const network = getClientNetwork(request);
  const uncountWrong = () =>
    Promise.all([releaseAttempt(PER_VISITOR, network), releaseAttempt(EVERYWHERE)]);
  // No password was tried. Otherwise someone who goes on after ten would slow everyone down.
  const refuse = async (limit: RateLimit, wait: number) => {
    await uncountWrong();
    refuseAttempt(limit, wait);
  };
  const [perAccount, perVisitor, everywhere] = await Promise.all([
    countAttempt(PER_ACCOUNT, network, email),
    countAttempt(PER_VISITOR, network),
    countAttempt(EVERYWHERE),
  ]);
  if (perAccount > 0) await refuse(PER_ACCOUNT, perAccount);
  const underAttack = perVisitor > 0 || everywhere > 0;
  if (underAttack) {
    log().warn({ everywhere: everywhere > 0 }, "many wrong passwords, signing in is slowed down");
    const wait = await countAttempt(PER_ACCOUNT_UNDER_ATTACK, network, email);
    if (wait > 0) await refuse(PER_ACCOUNT_UNDER_ATTACK, wait);
    await pause(PAUSE_MS);
  }
  const uncount = () =>
    Promise.all([
      releaseAttempt(PER_ACCOUNT, network, email),
      uncountWrong(),
      underAttack && releaseAttempt(PER_ACCOUNT_UNDER_ATTACK, network, email),
    ]);
  const started = performance.now();
  const signedIn = await signIn(email, password).catch(async (error: unknown) => {
    // Without an answer, no one has learned anything about the password.
    if (error instanceof AuthServiceError && error.failure === "unavailable") await uncount();
    await pause(Math.max(0, FAILED_AFTER_MS - (performance.now() - started)));
    throw error;
  });
  await uncount();
  return signedIn;
}
