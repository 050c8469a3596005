/** The link that calls a phone number, the first one of a text: "208-555-0100 ext. 5" is "tel:2085550100". */
export const telLink = (text: string): string =>
  `tel:${/^(?:(?! \/ )[^a-z,;|#])*/i.exec(text)![0].replaceAll(/[^\d+]/g, "")}`;
