/** The longest that a text of the profile may be, in characters. */
export const PROFILE_LIMITS = { full_name: 120, postalcode: 20, pronouns: 60 } as const;
