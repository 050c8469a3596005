/** A mailto: link to an address, in which characters of the URL syntax ("?", "&", "%") are no syntax. */
export const mailtoLink = (email: string): string =>
  `mailto:${email.split("@").map(encodeURIComponent).join("@")}`;
