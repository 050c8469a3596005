import { z } from "zod";

import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

const secondStep = z.object({
  /** When two-step sign-in was turned on; null when it is off. */
  since: z.string().nullable(),
  /** The authenticator apps whose code is accepted. */
  factors: z.array(z.string()),
  codes_left: z.number(),
});

/** The caller's two-step sign-in. Throws DataError. */
export function getTwoStep(db: Db): Promise<z.output<typeof secondStep>> {
  return callFunction(db, "my_second_step", {}, secondStep);
}

/**
 * Creates ten recovery codes in place of the earlier ones. They can't be read again.
 * @throws DataError, `refused` when no code of the authenticator app was entered in the last ten minutes
 */
export function createRecoveryCodes(db: Db): Promise<string[]> {
  return callFunction(db, "create_recovery_codes", {}, z.array(z.string()));
}

/**
 * Completes signing in with a recovery code, which turns two-step sign-in off.
 * @returns whether the code was right, and how many seconds to wait after too many wrong ones
 */
export function redeemRecoveryCode(db: Db, code: string): Promise<{ used: boolean; wait: number }> {
  const result = z.object({ used: z.boolean(), wait: z.number() });
  return callFunction(db, "use_recovery_code", { code }, result);
}

/**
 * Turns the caller's two-step sign-in off.
 * @throws DataError, `refused` when no code of the authenticator app was entered in the last ten minutes
 */
export async function turnOffTwoStep(db: Db): Promise<void> {
  unwrap(await db.rpc("turn_off_second_step"));
}

const adminSecondSteps = z.object({
  mandatory: z.boolean(),
  admins: z.array(z.object({ id: z.string(), name: z.string().nullable(), on: z.boolean() })),
});

/** For admins: whether two-step sign-in is mandatory for them, and who has it. Throws DataError. */
export function getAdminTwoStep(db: Db): Promise<z.output<typeof adminSecondSteps>> {
  return callFunction(db, "admin_second_steps", {}, adminSecondSteps);
}

/**
 * Makes two-step sign-in mandatory for all admins, or optional.
 * @throws DataError, `refused` when the caller has not turned it on
 */
export async function requireTwoStepOfAdmins(db: Db, mandatory: boolean): Promise<void> {
  unwrap(await db.rpc("require_second_step_of_admins", { mandatory }));
}
