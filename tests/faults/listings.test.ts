/**
 * Every form of the listings' screens while a part of the outside fails: it is saved, or it is not and everything
 * typed is still there, or that is not known and sending it again is safe.
 */
import { randomUUID } from "node:crypto";

import { beforeEach, describe, expect, it } from "vitest";

import { listingForm } from "../support/forms";
import { everyThird } from "../support/nightly";
import { measureWaiting } from "../support/waiting-time";
import { createWorld, type Member } from "../support/world";

import { ageSession } from "./age-session";
import { expectFormPreserved, loseNextResponse, type Post } from "./submitted-form";
import { breakDown, faultNames, faults, hangs, recover } from "./outage";

const world = await createWorld({ env: { GOOGLE_MAPS_API_KEY: "google-key-of-the-tests" } });
const data = `${world.supabase.url}/rest/v1/*`;
const rows = [
  `${world.supabase.url}/rest/v1/places*`,
  `${world.supabase.url}/rest/v1/listing_drafts*`,
];
const auth = `${world.supabase.url}/auth/v1/*`;
const google = "https://places.googleapis.com/*";

let owner: Member;
let listing: { id: number };
let hidden: { id: number };
const draft = randomUUID();

/** Everything of the owner's that these forms could change. */
const state = async () => [
  await world.sql(
    "select id, name, status, hidden, archive_requested, version from public.places where owner = $1 order by id",
    [owner.id],
  ),
  await world.sql("select id, fields from public.listing_drafts where owner = $1 order by id", [
    owner.id,
  ]),
];

interface ListingPost extends Post {
  /** Asks the database for nothing but who is here. */
  needsNoRows?: true;
}

const typed = {
  name: "Kept </script> 🏳️‍🌈",
  description: "one\ntwo",
  rawaddress: "2114 se division",
  mailingaddress: "PO Box 1",
  category: "2",
};
const find = (path: () => string, intent: string): ListingPost => ({
  path,
  fields: { ...typed, intent },
});
const newListing = () => "/listings/new";
const edit = () => `/listings/${listing.id}`;
const visibility = (intent: string): ListingPost => ({
  path: () =>
    `/listings/${intent === "show" || intent === "keep" ? hidden.id : listing.id}/visibility`,
  fields: { intent },
});
const submission = randomUUID();

const posts: Record<string, ListingPost> = {
  "a new listing": {
    path: newListing,
    fields: listingForm({ name: "New", submission_id: submission, intent: "save" }),
  },
  "a draft": { path: newListing, fields: { ...typed, submission_id: submission, intent: "draft" } },
  "an edit": { path: edit, fields: listingForm({ name: "Edited", version: "1", intent: "save" }) },
  hiding: visibility("hide"),
  "showing again": visibility("show"),
  "asking to remove": visibility("archive"),
  "keeping after all": visibility("keep"),
  "discarding a draft": { path: () => `/listings/drafts/${draft}/discard`, fields: {} },
  "questions of a category": { ...find(newListing, "continue"), needsNoRows: true },
  "looking an address up": { ...find(newListing, "findAddress"), needsNoRows: true },
  "looking a mailing address up": { ...find(newListing, "findMailingAddress"), needsNoRows: true },
  "looking an address up in an edit": find(edit, "findAddress"),
};
const names = Object.keys(posts);
const writes = names.filter((name) => !/^looking|^questions/.test(name));

beforeEach(async () => {
  owner = await world.owner();
  listing = await world.listing({ owner, mailingaddress: "PO Box 1" });
  hidden = await world.listing({ owner, hidden: true, archive_requested: true });
  await world.sql("delete from public.listing_drafts where id in ($1, $2)", [draft, submission]);
  await world.insert("listing_drafts", {
    id: draft,
    owner: owner.id,
    fields: JSON.stringify({ name: "Half" }),
  });
});

const send = (person: Member, { path, fields }: Post) => person.post(path(), fields);

describe.each(everyThird(faultNames, 1))("when an outside %s", (fault) => {
  const broken = (...addresses: string[]) => {
    for (const address of addresses) breakDown(address, faults[fault]!);
  };

  it("none of the forms of a listing is lost, and none is half done", async () => {
    const before = await state();
    const expired = await world.signIn(owner);
    await ageSession(expired, -100);
    for (const name of names) {
      const post = posts[name]!;
      broken(data);
      expectFormPreserved(await send(owner, post), post, `${name}, the database down`);
      recover();
      if (!post.needsNoRows) {
        broken(...rows);
        expectFormPreserved(await send(owner, post), post, `${name}, its rows out of reach`);
        recover();
      }
      broken(auth);
      expectFormPreserved(
        await send(expired, post),
        post,
        `${name}, the session run out and no one to renew it`,
      );
      recover();
    }
    broken(google);
    for (const name of names.filter((one) => one.startsWith("looking")))
      expectFormPreserved(await send(owner, posts[name]!), posts[name]!, `${name}, Google down`);
    recover();
    expect(await state()).toEqual(before);
  });

  it("when addresses are looked up while typing, none are found, and nothing replaces the form", async () => {
    const outages: [string, number[]][] = [
      [data, [401]],
      [google, [503]],
    ];
    for (const [address, status] of outages) {
      broken(address);
      const answer = await owner.post("/addresses", { typed: "2114 se division" });
      expect(answer.status).toBeOneOf(status);
      expect(answer.data).toEqual({ candidates: [] });
      recover();
    }
  });
});

describe("a form of a listing", () => {
  it.each(writes)(
    "of which only the answer was lost can be sent again, and is done once: %s",
    async (name) => {
      const post = posts[name]!;
      // Whether there is one already, a draft finds out by a request that changes none.
      const reached = loseNextResponse(rows, name === "a draft" ? ["post"] : undefined);
      expectFormPreserved(await send(owner, post), post, name);
      expect(reached()).toBe(1);
      recover();
      const done = await state();
      for (let i = 0; i < 2; i++) {
        const again = await send(owner, post);
        expect(again.status, JSON.stringify(again.errors)).toBe(303);
      }
      expect(await state()).toEqual(done);
    },
  );

  it("is answered within ten seconds, with everything in it, when what it needs hangs", async () => {
    const before = await state();
    for (const address of [...rows, google]) breakDown(address, hangs);
    const hanging = names.filter((name) => name !== "questions of a category");
    const { result: answers, waitedMs } = await measureWaiting(() =>
      Promise.all(hanging.map((name) => send(owner, posts[name]!))),
    );
    expect(waitedMs).toBeLessThan(10_000);
    hanging.forEach((name, index) => expectFormPreserved(answers[index]!, posts[name]!, name));
    expect(await state()).toEqual(before);
  });
});
