/**
 * Everyone acts: owners, managers, admins, the auth service, and Stripe, in a random order, over few rows, on real
 * Postgres; one after the other in each run, and at once at night. What must be true whenever no one is acting, is. What
 * a seed chooses is always the same; what overlaps at night is not, so repeat a failure some times:
 * RACES_SEED=7 npm run test:nightly -- database
 */
import { expect, it } from "vitest";

import { timesTried } from "../support/nightly";
import { createRandom } from "../support/random";

import { isAllowed } from "./races/allowed-errors";
import { invariants } from "./races/invariants";
import { choices, operations } from "./races/operations";
import { startScene } from "./races/scene";

const SEED = Number(process.env["RACES_SEED"] ?? 1);
const SESSIONS = timesTried(1, 8);
const OPERATIONS_OF_EACH = timesTried(1_000, 3_000);

it("every promise is kept, whatever everyone does", async () => {
  const scene = await startScene();
  const defects: string[] = [];

  async function act(session: number) {
    const random = createRandom(SEED * 1_000 + session);
    for (let done = 0; done < OPERATIONS_OF_EACH; done += 1) {
      const name = random.pick(choices);
      await operations[name]!(scene, random).catch((error: Error & { code?: string }) => {
        if (!isAllowed(error)) defects.push(`${name}: ${error.code} ${error.message}`);
      });
    }
  }
  await Promise.all(Array.from({ length: SESSIONS }, (_, session) => act(session)));

  // Stripe sends again what could not be recorded.
  for (const checkout of scene.stripe.checkouts.values()) await scene.stripe.record(checkout);
  for (const [sentence, listContradictions] of Object.entries(invariants)) {
    const rows = await scene.sql.unsafe(listContradictions);
    if (rows.length > 0) defects.push(`Not true: ${sentence}. ${JSON.stringify(rows.slice(0, 3))}`);
  }
  const paid = [...scene.stripe.checkouts.values()].filter(({ state }) => state === "paid");
  const payments = await scene.sql`select id from public.payments`;
  expect(payments.map(({ id }) => id as string).sort()).toEqual(
    paid.map(({ id }) => `pi_${id}`).sort(),
  );
  // The message says all of it: some reporters, such as that of `npm run mutate`, show nothing else.
  expect(defects, `RACES_SEED=${SEED} ${defects.join(" ")}`).toEqual([]);
});
