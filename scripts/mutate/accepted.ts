/**
 * Weakenings that no test can notice, by their names in the report of `npm run mutate`, and why each rule
 * remains: another one refuses the same, and either must hold when the other is changed. An entry that a test
 * notices, or whose rule is gone, is reported, so that this list never outlives its reasons.
 */
export const ACCEPTED: Record<string, string> = {
  'policy refunds "read own, or admin": (p.owner = ( SELECT private.user_id() AS user_id)) → true':
    "a user finds only their own payments there: the policy of payments says so too",
  'policy sponsorship_spots "read own, or admin": (s.owner = ( SELECT private.user_id() AS user_id)) → true':
    "a user finds only their own sponsorships there: the policy of sponsorships says so too",
  "function private.guard_feedback_and_reports(): new.created_at := now() → null":
    "no privilege to insert this column of feedback or events",
  "function private.cancel_sponsorship_dates(bigint,date[]): perform private.refuse('dates_not_booked', 'dates') → null":
    "more dates than there can be are refused below as well, only later",
  "function private.cancel_sponsorship_dates(bigint,date[]): s.owner = private.user_id() → true, occurrence 2":
    "a sponsorship loses its owner with its order, in the same deletion: no order of the caller is found",
  "function private.cancel_sponsorship_dates(bigint,date[]): raise exception 'sponsorship_not_yours' using errcode = '42501' → null, occurrence 2":
    "a sponsorship that is gone has no dates that could be canceled",
  "function private.manages_for_owner(bigint,uuid): listing_id = any (private.managed_places()) → true":
    "no one but its owner, its managers, and admins changes a listing: the policies of places say so",
  "function private.lock_newsletters_of_deleted(bigint): private.is_admin() → true":
    "only a deletion calls it, and its policy finds the orders of their buyer and for admins alone",
  "function private.guard_job(): new.owner := old.owner → null":
    "no one gives a job away: the policy refuses a row with another owner",
  "function private.guard_lead(): p.owner = private.user_id() → true":
    "a user finds only their own listings there: the policy of places says so too",
  "function private.require_listing_owner(bigint): listing.owner = private.user_id() → true":
    "the query before it finds a listing for its owner and for admins alone, also after waiting",
  "function private.require_listing_owner(bigint): private.is_admin() → true, occurrence 2":
    "the query before it finds a listing for its owner and for admins alone, also after waiting",
  "function private.guard_saved_view(): new.owner := old.owner → null":
    "no one gives a view away: the policy refuses a row with another owner",
  "function private.guard_sponsorship(): p.owner = private.user_id() → true":
    "a user finds only their own listings there: the policy of places says so too",
  "function private.guard_sponsorship(): p.owner = private.user_id() → true, occurrence 2":
    "a user finds only their own listings there: the policy of places says so too",
  "function private.guard_lead(): new.created_at := now() → null":
    "no privilege to insert this column of leads",
  "function private.guard_lead(): new.version := old.version → null":
    "no privilege to change this column of leads",
  "function my_dashboard(text,text,integer,integer): l.owner = (select private.user_id()) → true":
    "a user finds only their own drafts there: the policy of listing_drafts says so too",
  "function my_counts(): d.owner = (select private.user_id()) → true":
    "a user finds only their own drafts there: the policy of listing_drafts says so too",
  "function my_home(): p.owner = (select id from me) → true, occurrence 2":
    "nothing is asked for a listing without a customer: one that waits for its owner has none, and one that is managed shows none",
};
