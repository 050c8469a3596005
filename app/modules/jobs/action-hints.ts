import { JOB } from "~/modules/billing/prices";

import type { FreeJobAction } from "./rules";

/** What an owner, or an admin, reads about each action before doing it. */
export const JOB_ACTION_HINTS: Readonly<Record<FreeJobAction, string>> = {
  unpublish: `No one can see it until it’s republished, but its ${JOB.liveDays} days keep counting down.`,
  republish: "People can see it again until it expires.",
  fill: "Found someone? This takes the job down. You can undo it.",
  reopen: "It didn’t work out? Reopen the job.",
};
