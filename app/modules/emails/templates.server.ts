import { accountEmails } from "~/modules/accounts/account-emails.server";
import { accountExists, passwordChanged } from "~/modules/accounts/emails.server";
import {
  orderReceipt,
  paymentDisputed,
  paymentFailed,
  planChanged,
  planPaused,
  refundFailed,
  refundIssued,
  renewalComing,
  subscriptionCanceled,
  subscriptionEnded,
  subscriptionRenewed,
} from "~/modules/billing/emails.server";
import { planStopped } from "~/modules/billing/stopped-plan-email.server";
import {
  jobEdited,
  jobExpiring,
  jobNamesake,
  jobLeft,
  jobPaymentReturned,
  jobReceived,
  jobRepublished,
  jobUnpublished,
  listingJob,
} from "~/modules/jobs/emails.server";
import { newLead } from "~/modules/leads/emails.server";
import {
  changesRequested,
  contactEmailRemoved,
  decisionUndone,
  editRejected,
  featuredEnded,
  listingAdded,
  listingApproved,
  listingChanged,
  listingEdited,
  bookedListingRemoved,
  listingHidden,
  listingLeft,
  listingReceived,
  listingRemoved,
  listingShown,
} from "~/modules/listings/emails.server";
import { managerInvitation, managerJoined } from "~/modules/managers/emails.server";
import {
  featureEdited,
  featureUnseen,
  sponsorshipConfirmed,
} from "~/modules/sponsorships/emails.server";
import { accountDeleted, accountDeletion, accountKept } from "~/modules/privacy/emails.server";
import { adminsTwoStep, twoStepChanged } from "~/modules/two-step/emails.server";
import { adminRightsChanged } from "~/modules/users/emails.server";

import type { EmailTemplate } from "./render-email.server";

/**
 * All emails that the dashboard sends. A new one takes three steps:
 *
 * 1. Queue it in SQL, where its event happens (a trigger or a security definer function): `perform
 *    private.enqueue_email(user, null, 'order-receipt', 'order-receipt:' || id, jsonb_build_object(…))`,
 *    or `private.enqueue_email(null, place_id, …)` for the owner of a listing. The third argument is the
 *    kind, and the fourth one a key: an email is queued once for each key. The data has ids and
 *    plain text, never an email address.
 * 2. Write its template in its module, with `defineEmail(schema, (data, { appUrl }) => …)`, and add
 *    it below. Anyone who sees a lock screen can read the subject, so it must not reveal the
 *    directory.
 * 3. Call `triggerEmailDelivery()` in the action after the event, so that the email is sent at
 *    once. Without it, it is sent within a minute.
 */
export const emailTemplates: Record<string, EmailTemplate> = {
  "account-deleted": accountDeleted,
  "account-deletion": accountDeletion,
  "account-kept": accountKept,
  ...accountEmails,
  "account-exists": accountExists,
  "admin-rights-changed": adminRightsChanged,
  "password-changed": passwordChanged,
  "two-step-changed": twoStepChanged,
  "admins-two-step": adminsTwoStep,
  "listing-approved": listingApproved,
  "listing-changed": listingChanged,
  "changes-requested": changesRequested,
  "edit-rejected": editRejected,
  "decision-undone": decisionUndone,
  "listing-removed": listingRemoved,
  "booked-listing-removed": bookedListingRemoved,
  "listing-edited": listingEdited,
  "contact-email-removed": contactEmailRemoved,
  "featured-ended": featuredEnded,
  "listing-added": listingAdded,
  "listing-hidden": listingHidden,
  "listing-left": listingLeft,
  "listing-received": listingReceived,
  "listing-shown": listingShown,
  "new-lead": newLead,
  "manager-invitation": managerInvitation,
  "manager-joined": managerJoined,
  "job-edited": jobEdited,
  "job-expiring": jobExpiring,
  "job-republished": jobRepublished,
  "job-unpublished": jobUnpublished,
  "job-left": jobLeft,
  "job-payment-returned": jobPaymentReturned,
  "job-received": jobReceived,
  "listing-job": listingJob,
  "job-namesake": jobNamesake,
  "sponsorship-confirmed": sponsorshipConfirmed,
  "feature-edited": featureEdited,
  "feature-unseen": featureUnseen,
  "order-receipt": orderReceipt,
  "payment-failed": paymentFailed,
  "payment-returned": refundIssued,
  "subscription-renewed": subscriptionRenewed,
  "plan-changed": planChanged,
  "renewal-coming": renewalComing,
  "subscription-canceled": subscriptionCanceled,
  "subscription-ended": subscriptionEnded,
  "plan-paused": planPaused,
  "plan-stopped": planStopped,
  "payment-disputed": paymentDisputed,
  "refund-failed": refundFailed,
};
