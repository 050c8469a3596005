const STATES =
  "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|Washington DC|West Virginia|Wisconsin|Wyoming";
const PROVINCES =
  "Alberta|British Columbia|Manitoba|New Brunswick|Newfoundland and Labrador|Northwest Territories|Nova Scotia|Nunavut|Ontario|Prince Edward Island|Quebec|Saskatchewan|Yukon";
const COUNTRIES =
  "Argentina|Australia|Austria|Belgium|Brazil|Bulgaria|Chile|Colombia|Costa Rica|Croatia|Cyprus|Czechia|Denmark|Dominican Republic|Ecuador|Estonia|Finland|France|Georgia (country)|Germany|Greece|Hong Kong|Hungary|Iceland|India|Indonesia|Ireland|Israel|Italy|Japan|Kenya|Latvia|Lithuania|Luxembourg|Malta|Mexico|Netherlands|New Zealand|Norway|Panama|Peru|Philippines|Poland|Portugal|Puerto Rico|Romania|Serbia|Singapore|Slovakia|Slovenia|South Africa|South Korea|Spain|Sweden|Switzerland|Taiwan|Thailand|Türkiye|Ukraine|United Arab Emirates|United Kingdom|Uruguay|Vietnam";

/** Where a therapist may be licensed, in groups as the form shows them. */
export const LICENSED_LOCATION_GROUPS: readonly { name: string; locations: readonly string[] }[] = [
  { name: "United States", locations: STATES.split("|") },
  { name: "Canada", locations: PROVINCES.split("|") },
  { name: "Other countries", locations: COUNTRIES.split("|") },
];

export const LICENSED_LOCATIONS: readonly string[] = LICENSED_LOCATION_GROUPS.flatMap(({ locations }) => locations);
