/** The language and region that every number, date, and sorted list of the product is written for. */
export const LOCALE = "en-US";
