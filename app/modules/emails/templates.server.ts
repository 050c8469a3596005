import { orderReceipt, paymentFailed, refundIssued } from "~/modules/billing/emails.server";
import { jobExpiring } from "~/modules/jobs/letters.server";
import { newLead } from "~/modules/leads/emails.server";
import {
  changesRequested,
  editRejected,
  listingApproved,
  listingEdited,
} from "~/modules/listings/emails.server";
import { managerInvitation } from "~/modules/managers/emails.server";
import { sponsorshipConfirmed } from "~/modules/sponsorships/letters.server";
import { accountDeletion } from "~/modules/privacy/emails.server";

import type { EmailTemplate } from "./render-email.server";

/**
 * Every kind of letter the dashboard sends. A new kind takes three steps:
 *
 * 1. In the migration of its act, where the act happens (a trigger or a function with its owner's
 *    rights): `perform private.notify(person, null, 'order-receipt', 'order-receipt:' || id, jsonb_build_object(…))`.
 *    For whoever a listing belongs to: `private.notify(null, place_id, …)`. The key names the occasion: the
 *    same key again is the same e-mail. `data` holds ids and plain words, never an address.
 * 2. The letter, beside its noun (`modules/orders/letters.server.ts`): `letter(schema, (data, { appUrl }) => …)`.
 *    Its subject outs nobody on a lock screen. A line in the table below.
 * 3. `triggerEmailDelivery()` after the act in the action, so that it goes out at once; without it `npm run notices` sends it.
 */
export const emailTemplates: Record<string, EmailTemplate> = {
  "account-deletion": accountDeletion,
  "listing-approved": listingApproved,
  "changes-requested": changesRequested,
  "edit-rejected": editRejected,
  "listing-edited": listingEdited,
  "new-lead": newLead,
  "manager-invitation": managerInvitation,
  "job-expiring": jobExpiring,
  "sponsorship-confirmed": sponsorshipConfirmed,
  "order-receipt": orderReceipt,
  "payment-failed": paymentFailed,
  "payment-returned": refundIssued,
};
