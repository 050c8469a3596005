import { markup, type Markup } from "./html";
import { localPage } from "./local-page";
import type { LocalSupabase } from "./supabase";

/** The texts and links of a listing, in the order of its page. Boxes have their labels. */
const LINKS = {
  url: "Website",
  tiktok: "TikTok",
  instagram: "Instagram",
  xtwitter: "X/Twitter",
  youtube: "YouTube",
  facebook: "Facebook",
  linkedin: "LinkedIn",
} as const;

const BOXES = {
  online: "Online",
  physicalLocation: "Physical location",
  bipocOwned: "Owned by Black, Indigenous or other people of color",
  outdoor: "Outdoor space",
  nonprofit: "Nonprofit",
  gender_neutral_bathrooms: "Gender-neutral bathrooms",
  masks_required: "Masks required",
  wholesale: "Sells wholesale",
  wholesale_buyer: "Buys wholesale",
  affiliate: "Affiliate program",
} as const;

const COLUMNS = [
  ...["id", "name", "premium", "description", "address", "address_approximate", "city", "state"],
  ...["public_email", "phone", ...Object.keys(LINKS), ...Object.keys(BOXES)],
];

type Place = Record<keyof typeof LINKS, string | null> &
  Record<keyof typeof BOXES, boolean> & {
    id: number;
    name: string;
    premium: boolean;
    description: string | null;
    address: string | null;
    address_approximate: boolean;
    city: string | null;
    state: string | null;
    public_email: string | null;
    phone: string | null;
  };

/**
 * The public directory of the local demo: what the app and website of a real one show of a listing. It reads the
 * view that anyone may read, with the key that anyone has, so it can show nothing else.
 */
export class PublicPages {
  constructor(
    private readonly supabase: Pick<LocalSupabase, "url" | "publishableKey" | "fetch">,
    private readonly appUrl: string,
  ) {}

  /** A page of the directory; undefined for other URLs. */
  async answer(request: Request): Promise<Response | undefined> {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const [, id] = /^\/places(?:\/(\d{1,15}))?\/?$/.exec(new URL(request.url).pathname) ?? [];
    if (id !== undefined) return this.one(id);
    return /^\/places\/?$/.test(new URL(request.url).pathname) ? this.list() : undefined;
  }

  private async list(): Promise<Response> {
    const places = await this.read("order=premium.desc,name,id&limit=500");
    const items = places.map(
      (place) => markup`<li>
        <a href="/places/${place.id}"><bdi>${place.name}</bdi></a>
        <span class="to">${whereOf(place)}${place.premium && " · Featured"}</span>
      </li>`,
    );
    return this.page(
      "The directory",
      markup`<h1>The directory</h1>
        <p>What anyone can see: ${places.length} listings, Featured ones first. <a href="${this.appUrl}">Back to the dashboard</a></p>
        <ul class="places">${items}</ul>`,
    );
  }

  private async one(id: string): Promise<Response> {
    const [place] = await this.read(`id=eq.${id}`);
    if (!place)
      return this.page(
        "Listing not found",
        markup`<h1>Listing not found</h1>
          <p>It isn’t live right now. <a href="/places">All listings</a></p>`,
        404,
      );
    const facts: [string, Markup][] = [];
    const add = (label: string, value: string | null, shown?: Markup) => {
      if (value) facts.push([label, shown ?? markup`<bdi>${value}</bdi>`]);
    };
    const approximate = place.address_approximate && " (approximate location)";
    add("Address", place.address, markup`<bdi>${place.address}</bdi>${approximate}`);
    add("Phone", place.phone);
    add("Email", place.public_email);
    for (const [name, label] of Object.entries(LINKS)) {
      const url = place[name as keyof typeof LINKS];
      if (url && /^https?:\/\//i.test(url))
        add(label, url, markup`<a href="${url}" rel="noreferrer nofollow"><bdi>${url}</bdi></a>`);
      else add(label, url);
    }
    const boxes = Object.entries(BOXES).filter(([name]) => place[name as keyof typeof BOXES]);
    return this.page(
      place.name,
      markup`<p><a href="/places">All listings</a></p>
        <h1><bdi>${place.name}</bdi></h1>
        <p class="to">${whereOf(place)}${place.premium && " · Featured"}</p>
        <p class="about" dir="auto">${place.description}</p>
        <dl>${facts.map(([label, value]) => markup`<dt>${label}</dt><dd>${value}</dd>`)}</dl>
        ${boxes.length > 0 && markup`<h2>Good to know</h2><ul>${boxes.map(([, label]) => markup`<li>${label}</li>`)}</ul>`}`,
    );
  }

  private async read(query: string): Promise<Place[]> {
    const { url, publishableKey } = this.supabase;
    const answer = await this.supabase.fetch(
      new Request(`${url}/rest/v1/public_places?select=${COLUMNS.join(",")}&${query}`, {
        headers: { apikey: publishableKey },
      }),
    );
    if (!answer.ok) throw new Error(`The directory could not be read: ${await answer.text()}`);
    return (await answer.json()) as Place[];
  }

  private page(title: string, body: Markup, status?: number): Response {
    return localPage(`${title} · local directory`, body.html, status);
  }
}

function whereOf({ city, state }: Place): Markup {
  return markup`<bdi>${[city, state].filter(Boolean).join(", ") || "Online"}</bdi>`;
}
