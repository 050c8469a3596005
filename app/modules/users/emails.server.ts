import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";
import { formatNumber } from "~/text/counts";

/**
 * Someone who is signed in as an admin gave admin rights to accounts, or took them: to all admins, and to whose rights
 * they are. It names no one, since others may read the mailbox.
 */
export const adminRightsChanged = defineEmail(
  z.object({
    given: z.boolean(),
    /** How many accounts. */
    accounts: z.number(),
    /** Whether the recipient's own rights have changed. */
    yours: z.boolean().default(false),
    /** One of the accounts, where it is someone else's. */
    account: z.string().optional(),
  }),
  ({ given, accounts, yours, account }, { appUrl }) => {
    const change = given ? "now has admin rights" : "no longer has admin rights";
    const changes = given ? "now have admin rights" : "no longer have admin rights";
    const others =
      accounts === 1 ? `An account ${change}` : `${formatNumber(accounts)} accounts ${changes}`;
    // Someone who has lost them can't read the log.
    const log = yours && !given ? "" : " The audit log says whose it was.";
    return {
      subject: "Admin rights have changed",
      paragraphs: [
        `${yours ? `Your account ${change}` : others}. Someone who’s signed in as an admin did this.`,
        `Is this news to you? Tell the rest of the team now: someone else may be in an admin’s account.${log}`,
      ],
      ...(yours || !account
        ? {}
        : { action: { label: "See the account", url: `${appUrl}${paths.adminUser(account)}` } }),
    };
  },
);
