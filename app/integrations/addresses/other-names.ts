/**
 * Names that people type for a city, and the name that the table of places has (both folded), with the
 * country. A table of all the world's alternate names would be ten times as large as the places.
 */
export const OTHER_NAMES: readonly (readonly [typed: string, country: string, name: string])[] = [
  ["new york", "US", "new york city"], ["nyc", "US", "new york city"], ["washington", "US", "washington d c"],
  ["washington dc", "US", "washington d c"], ["sf", "US", "san francisco"], ["nola", "US", "new orleans"],
  ["quebec city", "CA", "quebec"], ["ville de quebec", "CA", "quebec"], ["cdmx", "MX", "mexico city"],
  ["ciudad de mexico", "MX", "mexico city"], ["munchen", "DE", "munich"], ["muenchen", "DE", "munich"],
  ["cologne", "DE", "koln"], ["koeln", "DE", "koln"], ["nuremberg", "DE", "nurnberg"],
  ["duesseldorf", "DE", "dusseldorf"], ["frankfurt", "DE", "frankfurt am main"], ["hanover", "DE", "hannover"],
  ["wien", "AT", "vienna"], ["zuerich", "CH", "zurich"], ["geneva", "CH", "geneve"], ["genf", "CH", "geneve"],
  ["berne", "CH", "bern"], ["basle", "CH", "basel"], ["bruxelles", "BE", "brussels"], ["brussel", "BE", "brussels"],
  ["antwerp", "BE", "antwerpen"], ["ghent", "BE", "gent"], ["bruges", "BE", "brugge"], ["den haag", "NL", "the hague"],
  ["s gravenhage", "NL", "the hague"], ["kobenhavn", "DK", "copenhagen"], ["koebenhavn", "DK", "copenhagen"],
  ["goteborg", "SE", "goteborg"], ["gothenburg", "SE", "goteborg"], ["helsingfors", "FI", "helsinki"],
  ["roma", "IT", "rome"], ["milano", "IT", "milan"], ["torino", "IT", "turin"], ["firenze", "IT", "florence"],
  ["napoli", "IT", "naples"], ["venezia", "IT", "venice"], ["genova", "IT", "genoa"], ["lisboa", "PT", "lisbon"],
  ["oporto", "PT", "porto"], ["seville", "ES", "sevilla"], ["praha", "CZ", "prague"], ["warszawa", "PL", "warsaw"],
  ["cracow", "PL", "krakow"], ["bucuresti", "RO", "bucharest"], ["beograd", "RS", "belgrade"], ["athina", "GR", "athens"],
  ["moskva", "RU", "moscow"], ["kiev", "UA", "kyiv"], ["kyiv", "UA", "kiev"], ["bombay", "IN", "mumbai"],
  ["bangalore", "IN", "bengaluru"], ["bengaluru", "IN", "bangalore"], ["calcutta", "IN", "kolkata"],
  ["madras", "IN", "chennai"], ["new delhi", "IN", "new delhi"], ["saigon", "VN", "ho chi minh city"],
  ["peking", "CN", "beijing"], ["havana", "CU", "havana"], ["la habana", "CU", "havana"],
  ["baile atha cliath", "IE", "dublin"], ["caerdydd", "GB", "cardiff"],
];

/** Cities that the table calls otherwise than their own post does. */
export const SHOWN_AS: Readonly<Record<string, string>> = {
  "New York City": "New York",
  "Washington, D.C.": "Washington",
  "New Century, KS": "New Century",
};
