/** A place on the map, as a listing keeps it. */
export interface Address {
  /** The whole address in one line, with the street as the person typed it. */
  formatted: string;
  city: string | null;
  /** Two letters in the United States and Canada ("OR"), the division's name elsewhere ("Bavaria"). */
  state: string | null;
  /** The country's English name. */
  country: string | null;
  postalcode: string | null;
  /** Degrees north and east. */
  lat: number;
  long: number;
  /** True when the position is the middle of a city, street or postal code rather than of a building. */
  approximate: boolean;
}

/**
 * The outside service that looks up addresses refuses, hangs, or sends nonsense, or we don't ask it
 * now. The message is for the person at the form; `reason` is for the log, and holds no key and
 * nothing that was typed.
 */
export class AddressSearchUnavailable extends Error {
  override name = "AddressSearchUnavailable";

  /** @param status of the response: 429 for someone who has searched too often */
  constructor(
    readonly reason: string,
    options?: ErrorOptions,
    message = "Address search isn’t working right now. Please try again in a few minutes.",
    readonly status: 429 | 503 = 503,
  ) {
    super(message, options);
  }
}
