/**
 * Where a therapist may be licensed: the states and territories of the United States, the provinces and
 * territories of Canada, and every other country, in the groups that the form shows. A list of our own and
 * not the runtime's, whose names of countries change with its version: what is saved must stay on it.
 */
const GROUPS = {
  "United States":
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|Washington DC|West Virginia|Wisconsin|Wyoming|American Samoa|Guam|Northern Mariana Islands|Puerto Rico|U.S. Virgin Islands",
  Canada:
    "Alberta|British Columbia|Manitoba|New Brunswick|Newfoundland and Labrador|Northwest Territories|Nova Scotia|Nunavut|Ontario|Prince Edward Island|Quebec|Saskatchewan|Yukon",
  "Mexico, Central and South America":
    "Argentina|Belize|Bolivia|Brazil|Chile|Colombia|Costa Rica|Ecuador|El Salvador|Falkland Islands|French Guiana|Guatemala|Guyana|Honduras|Mexico|Nicaragua|Panama|Paraguay|Peru|Suriname|Uruguay|Venezuela",
  "The Caribbean and Bermuda":
    "Anguilla|Antigua and Barbuda|Aruba|Bahamas|Barbados|Bermuda|British Virgin Islands|Caribbean Netherlands|Cayman Islands|Cuba|Curaçao|Dominica|Dominican Republic|Grenada|Guadeloupe|Haiti|Jamaica|Martinique|Montserrat|Saint Barthélemy|Saint Kitts and Nevis|Saint Lucia|Saint Martin|Saint Vincent and the Grenadines|Sint Maarten|Trinidad and Tobago|Turks and Caicos Islands",
  Europe:
    "Åland Islands|Albania|Andorra|Austria|Belarus|Belgium|Bosnia and Herzegovina|Bulgaria|Croatia|Cyprus|Czechia|Denmark|Estonia|Faroe Islands|Finland|France|Germany|Gibraltar|Greece|Greenland|Guernsey|Hungary|Iceland|Ireland|Isle of Man|Italy|Jersey|Kosovo|Latvia|Liechtenstein|Lithuania|Luxembourg|Malta|Moldova|Monaco|Montenegro|Netherlands|North Macedonia|Norway|Poland|Portugal|Romania|Russia|Saint Pierre and Miquelon|San Marino|Serbia|Slovakia|Slovenia|Spain|Svalbard and Jan Mayen|Sweden|Switzerland|Türkiye|Ukraine|United Kingdom|Vatican City",
  Africa:
    "Algeria|Angola|Benin|Botswana|Burkina Faso|Burundi|Cameroon|Cape Verde|Central African Republic|Chad|Comoros|Congo (Brazzaville)|Congo (Kinshasa)|Côte d’Ivoire|Djibouti|Egypt|Equatorial Guinea|Eritrea|Eswatini|Ethiopia|Gabon|Gambia|Ghana|Guinea|Guinea-Bissau|Kenya|Lesotho|Liberia|Libya|Madagascar|Malawi|Mali|Mauritania|Mauritius|Mayotte|Morocco|Mozambique|Namibia|Niger|Nigeria|Réunion|Rwanda|Saint Helena|São Tomé and Príncipe|Senegal|Seychelles|Sierra Leone|Somalia|South Africa|South Sudan|Sudan|Tanzania|Togo|Tunisia|Uganda|Western Sahara|Zambia|Zimbabwe",
  "Asia and the Middle East":
    "Afghanistan|Armenia|Azerbaijan|Bahrain|Bangladesh|Bhutan|Brunei|Cambodia|China|Georgia (country)|Hong Kong|India|Indonesia|Iran|Iraq|Israel|Japan|Jordan|Kazakhstan|Kuwait|Kyrgyzstan|Laos|Lebanon|Macao|Malaysia|Maldives|Mongolia|Myanmar|Nepal|North Korea|Oman|Pakistan|Palestine|Philippines|Qatar|Saudi Arabia|Singapore|South Korea|Sri Lanka|Syria|Taiwan|Tajikistan|Thailand|Timor-Leste|Turkmenistan|United Arab Emirates|Uzbekistan|Vietnam|Yemen",
  Oceania:
    "Australia|Christmas Island|Cocos (Keeling) Islands|Cook Islands|Fiji|French Polynesia|Kiribati|Marshall Islands|Micronesia|Nauru|New Caledonia|New Zealand|Niue|Norfolk Island|Palau|Papua New Guinea|Pitcairn Islands|Samoa|Solomon Islands|Tokelau|Tonga|Tuvalu|Vanuatu|Wallis and Futuna",
};

/** The groups as a page carries them: the places of each in one text, which weighs little beside its boxes. */
export const PACKED_LOCATION_GROUPS = Object.entries(GROUPS).map(([name, places]) => ({
  name,
  places,
}));

export const LICENSED_LOCATIONS: ReadonlySet<string> = new Set(
  Object.values(GROUPS).join("|").split("|"),
);
