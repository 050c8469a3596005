/** What owners are asked to change most often, in the words they read. Something of one's own may be written as well. */
export const CHANGE_REASONS = [
  "Please give the full address, with street, city and state.",
  "Please tell people more about your business: what you offer, and for whom.",
  "Please check the website: it does not open.",
  "Please choose the category that fits your business best.",
  "Please tell us how your business is queer-owned or serves queer and trans people.",
  "Please write only about this business, and leave out what is advertising for others.",
] as const;

/** The most characters of all that is asked for. The database holds as much, and refuses more. */
export const CHANGE_REQUEST_LIMIT = 2_000;
