import { isTooManyRequests } from "~/http/errors.server";
import { enforceRateLimit, releaseAttempt } from "~/http/rate-limit.server";
import { AuthServiceError, type Tokens } from "~/integrations/supabase/auth.server";
import { challengeFactor, verifyFactor } from "~/integrations/supabase/factors.server";

const PER_ACCOUNT = { name: "app-code", max: 10, windowSeconds: 15 * 60 };
/** The auth service accepts a code for 90 seconds. */
const ONCE = { name: "app-code-used", max: 1, windowSeconds: 120 };

/** The code was entered before. */
export class UsedCodeError extends Error {
  override name = "UsedCodeError";
}

/**
 * Verifies a code of one of a user's authenticator apps. Each code works once, so that someone who
 * read it over the user's shoulder can't use it as well: the auth service itself would accept it again
 * for up to 90 seconds.
 * @param factors the ids of the authenticator apps
 * @returns the new tokens of the session, which has passed the second step then
 * @throws UsedCodeError; AuthServiceError, `wrong-code` or `no-factor`; HttpError 429 after too many
 *   wrong codes
 */
export async function verifyAppCode(attempt: {
  userId: string;
  tokens: Tokens;
  factors: readonly string[];
  code: string;
}): Promise<Tokens> {
  const { userId, tokens, factors, code } = attempt;
  // Counted by account only, after the right password, because many people may share a network.
  await enforceRateLimit(PER_ACCOUNT, userId);
  await countUse(userId, code);
  const challenges = await challengeAll(tokens, factors).catch(async (error: unknown) => {
    // Without a challenge no code is sent, whatever the reason.
    await Promise.all([releaseAttempt(ONCE, userId, code), releaseAttempt(PER_ACCOUNT, userId)]);
    throw error;
  });
  try {
    const verified = await verifyWithAny(tokens, challenges, code);
    await releaseAttempt(PER_ACCOUNT, userId);
    return verified;
  } catch (error) {
    // A wrong code was not used up. When the outcome is unknown, the code may have been.
    if (error instanceof AuthServiceError && error.failure !== "unavailable")
      await releaseAttempt(ONCE, userId, code);
    throw error;
  }
}

async function countUse(userId: string, code: string): Promise<void> {
  try {
    await enforceRateLimit(ONCE, userId, code);
  } catch (error) {
    if (!isTooManyRequests(error)) throw error;
    throw new UsedCodeError();
  }
}

interface Challenge {
  factor: string;
  id: string;
}

const challengeAll = (tokens: Tokens, factors: readonly string[]): Promise<Challenge[]> =>
  Promise.all(
    factors.map(async (factor) => ({ factor, id: await challengeFactor(tokens, factor) })),
  );

async function verifyWithAny(
  tokens: Tokens,
  challenges: readonly Challenge[],
  code: string,
): Promise<Tokens> {
  let failure = new AuthServiceError("no-factor", "no_factor");
  for (const { factor, id } of challenges) {
    try {
      return await verifyFactor(tokens, factor, id, code);
    } catch (error) {
      if (!(error instanceof AuthServiceError) || error.failure !== "wrong-code") throw error;
      failure = error;
    }
  }
  throw failure;
}
