import { COMMUNITY_GROUP_REQUIREMENTS } from "./rules";

/** Why the database refuses what a caller asked for, by the code that it raises. */
export const LISTING_REFUSALS = {
  description_missing: "Please tell people about your business.",
  address_missing: "Please enter an address.",
  listing_consent_missing: "To be listed, you need to agree to have your listing shown publicly.",
  certification_missing:
    "To be listed, you need to certify that the business or organization is queer-owned or queer-serving.",
  licensed_locations_missing: "Choose where you’re licensed.",
  community_group_not_serving: COMMUNITY_GROUP_REQUIREMENTS,
  category_unknown: "Please choose a category from the list.",
  licensed_location_unknown: "Please choose where you’re licensed from the list.",
  online_category_unknown: "Please choose online shopping categories from the list.",
  removal_requested: "The owner has asked us to remove this listing. Set it to “Archived” instead.",
  removal_by_owner_only: "Only the owner of a listing can request its removal.",
  too_many_new_listings: "You’ve reached the daily limit for new listings.",
  too_many_changes: "You’ve reached the hourly limit for changes to listings.",
  too_many_counts: "You’ve reached the hourly limit for counting nearby users.",
  draft_too_long: "This is too long to save as a draft. Please shorten the longest text.",
  draft_already_submitted:
    "You’ve already submitted this form, so it can’t be saved as a draft. What you typed isn’t saved yet. You can still submit it. With a different name and a different address or description, it becomes another listing. Otherwise, it changes the one you’ve submitted.",
  too_many_drafts: "You have 20 drafts, which is the limit. Please finish or discard one first.",
} as const satisfies Readonly<Record<string, string>>;
