import {
  findMissedRuns,
  listScheduled,
  SCHEDULED,
} from "~/integrations/supabase/scheduled-runs.server";
import { formatCount } from "~/text/counts";

import { NoAnswer } from "./ask";
import { isLocalStart, type Check, type Config } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";
import { askDataApi } from "./supabase-keys";

/** The answer to a call with the secret key. @throws NoAnswer */
async function callWithSecretKey(
  config: Config,
  ...[path, init]: [string, Parameters<typeof askDataApi>[3]?]
): Promise<unknown> {
  const { status, json } = await askDataApi(config, config.supabaseSecretKey, path, init);
  if (status !== 200) throw new NoAnswer(`answers ${status} to ${path}`);
  return json;
}

async function checkRuns(config: Config): Promise<Finding[]> {
  const missed = await findMissedRuns(
    listScheduled(config),
    async (bucket) =>
      (await callWithSecretKey(config, "rpc/rate_limit_reached", {
        method: "POST",
        body: JSON.stringify({ bucket, max_hits: 1 }),
      })) === true,
  );
  if (missed.length === 0) return [fine("What is due has run in the last two days")];
  return missed.map((name) =>
    wrong(
      `Nothing has run ${name} for two days`,
      `${SCHEDULED[name]}.`,
      "Keep `npm run work` running beside the app, or schedule the single commands (docs/deploy.md).",
    ),
  );
}

async function checkAdmin(config: Config): Promise<Finding[]> {
  const admins = await callWithSecretKey(config, "profiles?select=id&admin=is.true&limit=1");
  return [
    Array.isArray(admins) && admins.length > 0
      ? fine("There is an admin")
      : wrong(
          "No account is an admin",
          "No listing is reviewed, so none goes public.",
          "Sign up, then in the SQL editor: update public.profiles set admin = true where email = 'you@example.org';",
        ),
  ];
}

/** Emails that the mail server has refused for a while, although it answers us: its log, or ours, says why. */
async function checkEmails(config: Config): Promise<Finding[]> {
  const answer = await callWithSecretKey(config, "rpc/queue_lengths", {
    method: "POST",
    body: "{}",
  });
  // A database of the release before has no such count.
  const failing = (answer as { queues?: Record<string, number> } | null)?.queues?.[
    "emails_failing"
  ];
  if (!failing) return [];
  return [
    byHand(
      `${formatCount(failing, "email was", "emails were")} tried five times or more, and not sent.`,
      "the log: jq 'select(.msg == \"email not sent\")' says why",
    ),
  ];
}

/** The accounts that have a price of their own, by their ids in the settings. */
async function checkNamedAccounts(config: Config): Promise<Finding[]> {
  const named = [
    ["JOB_COUPON_USER", config.jobCoupon?.userId, "No one gets the coupon for jobs."],
    ["JOB_PRICE_HIDDEN_USER", config.jobPriceHiddenUser, "Everyone sees what a job costs."],
  ] as const;
  const findings = named.map(async ([name, id, effect]) => {
    if (!id) return [];
    const found = await callWithSecretKey(config, `profiles?select=id&id=eq.${id}`);
    return Array.isArray(found) && found.length > 0
      ? [fine(`${name} is an account`)]
      : [
          wrong(
            `No account has the id ${id} (${name})`,
            effect,
            "Copy the id from Supabase’s dashboard, Authentication, Users.",
          ),
        ];
  });
  return (await Promise.all(findings)).flat();
}

/** Who and what keeps the directory going: an admin, and the worker beside the app. */
export const upkeep: Check = {
  title: "Upkeep",
  async run({ config }) {
    try {
      const runs = isLocalStart(config) ? [] : await checkRuns(config);
      return [
        ...runs,
        ...(await checkEmails(config)),
        ...(await checkAdmin(config)),
        ...(await checkNamedAccounts(config)),
      ];
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return [byHand("It could not be checked: see the keys above.", "npm run doctor")];
    }
  },
};
