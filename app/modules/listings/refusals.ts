/** Why the database refuses what a caller asked for, by the code that it raises. */
export const LISTING_REFUSALS = {
  description_missing: "Please tell people about your business.",
  address_missing: "Please give an address.",
  listing_consent_missing: "Please agree that the listing is shown publicly.",
  certification_missing: "Please certify that the business or organization is queer-owned.",
  licensed_locations_missing: "Please say where you are licensed.",
  community_group_not_serving:
    "At this time we are only allowing organizations that serve queer or trans people and include this in their mission statement, we appreciate you applying!",
  category_unknown: "Please choose a category from the list.",
  licensed_location_unknown: "Please choose where you are licensed from the list.",
  online_category_unknown: "Please choose online shopping categories from the list.",
  removal_by_owner_only: "Only its owner can ask for a listing to be removed.",
  too_many_counts: "That is as many counts of nearby users as one account can ask for in an hour.",
  draft_too_long: "This is too long to be kept as a draft. Please shorten the longest text.",
  draft_already_submitted:
    "This listing has been submitted already. You will find it among your listings.",
  too_many_drafts:
    "You have 20 unfinished listings, which is as many as we keep. Please finish or discard one of them first.",
} as const satisfies Readonly<Record<string, string>>;
