/** An owner invites someone to manage a listing: what each of them sees, and what they are refused. */
import { describe, expect, it } from "vitest";

import { listingForm } from "../support/forms";
import type { Person } from "../support/person";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();

async function ownerWithListing(
  fields: Record<string, unknown> = {},
): Promise<{ owner: Member; listing: { id: number } }> {
  const owner = await world.owner({ fullName: "Olive Owner" });
  return {
    owner,
    listing: await world.listing({ owner, name: "Café Olive", status: "published", ...fields }),
  };
}

/** The form of the page, as a browser sends it. */
async function inviteForm(owner: Person, listing: { id: number }, email: string) {
  const page = await owner.page(`/listings/${listing.id}/managers`);
  return { intent: "invite", submission_id: page.value("submission_id")!, email };
}

/** Invites someone. Returns the path of the link that they get. */
async function invite(owner: Person, listing: { id: number }, email: string): Promise<string> {
  const before = world.supabase.mails.length;
  expect(
    await owner.post(`/listings/${listing.id}/managers`, await inviteForm(owner, listing, email)),
  ).toRedirectTo(`/listings/${listing.id}/managers`);
  const linkOf = () =>
    world.supabase.mails
      .slice(before)
      .find((one) => one.to === email)
      ?.links.find((one) => one.includes("/invitation?token="));
  await expect.poll(linkOf, { message: `an invitation to ${email}` }).toBeDefined();
  return linkOf()!.slice(world.appUrl.length);
}

/** Opens the link of an invitation as a browser does; gives the page. */
async function open(person: Person, link: string) {
  expect(await person.get(link)).toRedirectTo("/invitation");
  return person.page("/invitation");
}

async function accept(person: Person, link: string) {
  const page = await open(person, link);
  return person.post("/invitation", { intent: "accept", token: page.value("token")! });
}

async function managedListing(fields: Record<string, unknown> = {}) {
  const { owner, listing } = await ownerWithListing(fields);
  const manager = await world.owner({ fullName: "Mo Manager" });
  expect(await accept(manager, await invite(owner, listing, manager.email))).toRedirectTo(
    "/listings",
  );
  return { owner, listing, manager };
}

describe("inviting", () => {
  it("begins on the listing's own page, for its owner", async () => {
    const { owner, listing } = await ownerWithListing();
    const editor = await owner.page(`/listings/${listing.id}`);
    expect(editor).toSay("Managers");
    expect(editor.body).toContain(`href="/listings/${listing.id}/managers"`);
    const page = await owner.page(`/listings/${listing.id}/managers`);
    expect(page).toSay("No managers yet.");
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("is not for others, as if there were no such listing", async () => {
    const { listing, manager } = await managedListing();
    for (const person of [manager, await world.owner()]) {
      expect(await person.page(`/listings/${listing.id}/managers`)).toBeNotFound();
      expect(
        await person.post(`/listings/${listing.id}/managers`, {
          intent: "invite",
          email: "x@example.test",
        }),
      ).toBeNotFound();
      expect(
        await person.post(`/listings/${listing.id}/managers`, {
          intent: "remove",
          person: manager.id,
        }),
      ).toBeNotFound();
    }
    const other = await world.owner();
    const [anothers, missing] = [
      await other.page(`/listings/${listing.id}/managers`),
      await other.page("/listings/999999/managers"),
    ];
    expect(anothers.text.replace(/[0-9a-f-]{36}/, "")).toBe(
      missing.text.replace(/[0-9a-f-]{36}/, ""),
    );
  });

  it("is not for admins: they see who manages a listing, and can end it", async () => {
    const { listing, manager } = await managedListing();
    const admin = await world.admin();
    const path = `/listings/${listing.id}/managers`;
    const page = await admin.page(path);
    expect(page).toSay("Only the owner can invite managers");
    expect(page.body).not.toContain('name="email"');
    expect(
      await admin.post(path, {
        intent: "invite",
        submission_id: crypto.randomUUID(),
        email: "second-account@example.test",
      }),
    ).toBeForbidden();
    expect(
      await world.sql(
        "select * from public.manager_invitations where email like 'second-account%'",
      ),
    ).toEqual([]);
    expect(await admin.post(path, { intent: "remove", person: manager.id })).toRedirectTo(path);
    expect(await manager.page(`/listings/${listing.id}`)).toBeNotFound();
  });

  it("shows the addresses of managers and of the invited to the owner, and masked to admins", async () => {
    const { owner, listing, manager } = await managedListing();
    await invite(owner, listing, "friend@shelter.example");
    const admin = await world.admin();
    const paths = [
      `/listings/${listing.id}/managers`,
      `/listings/${listing.id}/managers/${manager.id}`,
    ] as const;
    const page = await owner.page(paths[0]);
    for (const address of [manager.email, "friend@shelter.example"]) expect(page).toSay(address);
    expect(await admin.page(paths[0])).toSay("f•••@s•••.example");
    for (const path of paths)
      for (const answer of [await admin.page(path), await admin.dataOf(path)]) {
        expect(answer.body).toContain("Mo Manager");
        expect(answer.body).not.toContain(manager.email);
        expect(answer.body).not.toContain("friend@shelter.example");
      }
  });

  it("tells the owner when someone has accepted, and names no one before the email is opened", async () => {
    const { owner, listing } = await managedListing();
    const mail = await world.mailAbout(owner.email, "Your invitation was accepted");
    expect(mail.text).toContain("Someone you invited now manages “Café Olive” with you.");
    expect(mail.text).toContain(`/listings/${listing.id}/managers`);
    expect(mail.text).not.toContain("Mo Manager");
  });

  it("sends an email that names no one and no listing, and is the same whether or not there is an account", async () => {
    const { owner, listing } = await ownerWithListing();
    const known = await world.owner();
    for (const email of [known.email, "nobody-at-all@example.test"]) {
      await invite(owner, listing, email);
      expect(await owner.page(`/listings/${listing.id}/managers`)).toSay(
        `Invitation sent to ${email}.`,
      );
      const mail = await world.mailAbout(email, "A message for you");
      expect(mail.text).toContain("invited to help manage a listing");
      expect(mail.text).toContain("because someone entered your address");
      expect(`${mail.subject} ${mail.text} ${mail.html}`).not.toMatch(
        /Café Olive|Olive Owner|Everyone’s Map|queer|lgbt/i,
      );
    }
  });

  it("refuses what is no address, one's own, and more than ten people, and keeps what was typed", async () => {
    const { owner, listing } = await ownerWithListing();
    const path = `/listings/${listing.id}/managers`;
    const sent = (email: string) =>
      inviteForm(owner, listing, email).then((form) => owner.post(path, form));
    expect(await sent("")).toBeRefusedWith(
      "Enter the email address of the person you want to invite.",
      { field: "email" },
    );
    const refused = await sent("not an address");
    expect(refused).toBeRefusedWith("Enter an email address like name@example.com.", {
      field: "email",
    });
    expect(refused.kept).toMatchObject({ email: "not an address" });
    expect(await sent(owner.email)).toBeRefusedWith(
      "That’s your own address. Enter someone else’s.",
      { field: "email" },
    );
    for (let n = 0; n < 10; n += 1)
      expect(await sent(`guest-${n}@example.test`)).toRedirectTo(path);
    expect(await sent("eleventh@example.test")).toBeRefusedWith(
      "A listing can have up to ten managers, including pending invitations. Remove one first.",
      { field: "email" },
    );
    const page = await owner.submit(path, await inviteForm(owner, listing, "nobody"));
    expect(page.title).toMatch(/^Error: /);
  });

  it("sent twice is one invitation", async () => {
    const { owner, listing } = await ownerWithListing();
    const form = await inviteForm(owner, listing, "twice@example.test");
    for (let time = 0; time < 2; time += 1)
      expect(await owner.post(`/listings/${listing.id}/managers`, form)).toRedirectTo(
        `/listings/${listing.id}/managers`,
      );
    expect(
      await world.sql("select email from public.manager_invitations where place_id = $1", [
        listing.id,
      ]),
    ).toHaveLength(1);
  });

  it("invites someone else, too, with a form that was sent before, and says that both were invited", async () => {
    const { owner, listing } = await ownerWithListing();
    const path = `/listings/${listing.id}/managers`;
    // Its answer was lost, so the form is still there.
    const form = await inviteForm(owner, listing, "first@example.test");
    await owner.post(path, form);
    const second = { ...form, email: "second@example.test" };
    for (let time = 0; time < 2; time += 1) {
      expect(await owner.post(path, second)).toRedirectTo(path);
      const page = await owner.page(path);
      expect(page).toSay("Invitation sent to second@example.test.");
      expect(page).toSay("The one to first@example.test was sent, too.");
      expect(page).not.toSay("already sent");
    }
    expect(
      await world.sql(
        "select email from public.manager_invitations where place_id = $1 and withdrawn_at is null order by email",
        [listing.id],
      ),
    ).toEqual([{ email: "first@example.test" }, { email: "second@example.test" }]);
    await expect
      .poll(() => world.supabase.mails.filter(({ to }) => to === "second@example.test"))
      .toHaveLength(1);

    // The first one is no longer pending, and the form is sent with a third one.
    await world.sql(
      "update public.manager_invitations set withdrawn_at = now() where place_id = $1 and email like 'first@%'",
      [listing.id],
    );
    await owner.post(path, { ...form, email: "third@example.test" });
    const page = await owner.page(path);
    expect(page).toSay("Invitation sent to third@example.test.");
    expect(page).not.toSay("was sent, too");
  });
});

describe("the invitation", () => {
  it("works after any number of wrong ones from the same network", async () => {
    const { owner, listing } = await ownerWithListing();
    const guest = await world.owner();
    const link = await invite(owner, listing, guest.email);
    const guess = () => guest.post("/invitation", { intent: "accept", token: "A".repeat(43) });
    await guess();
    await world.sql("update public.rate_limits set hits = 1000000");
    expect(await guess()).toHaveStatus(429);
    expect(await accept(guest, link)).toRedirectTo("/listings");
    await world.sql("delete from public.rate_limits");
  });

  it("leaves its token in no address, and asks a visitor to sign in without revealing anything", async () => {
    const { owner, listing } = await ownerWithListing();
    const link = await invite(owner, listing, "guest@example.test");
    const [guest, guesser] = [world.anonymous(), world.anonymous()];
    const page = await open(guest, link);
    const guessed = await open(
      guesser,
      "/invitation?token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    );
    expect(page).toSay("Sign in with the email address the invitation was sent to.");
    expect(page.body).toContain('href="/login?redirectTo=%2Finvitation"');
    expect(page.body).not.toContain(new URL(link, world.appUrl).searchParams.get("token"));
    expect(page.text).toBe(guessed.text);
    expect(page).not.toSay("Café Olive");
    expect(page.headers.get("Referrer-Policy")).toMatch(/no-referrer|same-origin/);
  });

  it("shows the invited person what is offered, and viewing it doesn't use the invitation up", async () => {
    const { owner, listing } = await ownerWithListing();
    const guest = await world.owner();
    const link = await invite(owner, listing, guest.email);
    for (let time = 0; time < 3; time += 1) await open(world.anonymous(), link);
    const page = await open(guest, link);
    expect(page).toSay("You’ve been invited to manage “Café Olive”");
    expect(page).not.toSay("Olive Owner");
    expect(
      await world.sql("select * from public.listing_managers where place_id = $1", [listing.id]),
    ).toEqual([]);
    expect(await accept(guest, link)).toRedirectTo("/listings");
    expect(await guest.page("/listings")).toSay("Thank you! You now manage “Café Olive”.");
    // A name from right to left stays within its quotes.
    await world.sql("update public.places set name = 'מאפייה' where id = $1", [listing.id]);
    const other = await world.owner();
    await accept(other, await invite(owner, listing, other.email));
    expect((await other.page("/listings")).body).toContain("manage “\u2068מאפייה\u2069”.");
  });

  it("says when no one has checked the listing’s name: anyone can write someone else’s", async () => {
    const warning = "Accept only if you know who invited you.";
    const { owner, listing } = await ownerWithListing();
    const guest = await world.owner();
    const link = await invite(owner, listing, guest.email);
    expect(await open(guest, link)).not.toSay(warning);
    // A new name that waits for review.
    await owner.post(`/listings/${listing.id}`, listingForm({ name: "Riverbend Books" }));
    const page = await open(guest, link);
    expect(page).toSay("You’ve been invited to manage “Riverbend Books”");
    expect(page).toSay(warning);
    const unapproved = await ownerWithListing({ status: "new" });
    expect(
      await open(guest, await invite(unapproved.owner, unapproved.listing, guest.email)),
    ).toSay(warning);
  });

  it("doesn’t say who sent it, and the owner reads that before", async () => {
    const { owner, listing } = await ownerWithListing();
    const page = await owner.page(`/listings/${listing.id}/managers`);
    expect(page).toSay("They’ll see which listing it is after signing in with this address.");
    expect(page).not.toSay("They’ll see both");
  });

  it("leads someone new through signing up and back", async () => {
    const { owner, listing } = await ownerWithListing();
    const guest = world.anonymous();
    await open(guest, await invite(owner, listing, "newcomer@example.test"));
    await guest.post("/signup", {
      email: "newcomer@example.test",
      password: "correct horse 42 staples",
      full_name: "New Comer",
      phone_country: "US",
    });
    const { token } = await world
      .mailAbout("newcomer@example.test", "onfirm")
      .then(() => world.mail("newcomer@example.test"));
    expect(
      await guest.post("/confirm", { intent: "openLink", type: "email", token_hash: token }),
    ).toRedirectTo("/invitation");
    const page = await guest.page("/invitation");
    expect(
      await guest.post("/invitation", { intent: "accept", token: page.value("token")! }),
    ).toRedirectTo("/listings");
    expect(await guest.page("/listings")).toSay("Café Olive");
  });

  it("shows someone new which name the owner will see: not that of someone else who has signed up with their address", async () => {
    const { owner, listing } = await ownerWithListing();
    const [email, password] = ["renamed@example.test", "correct horse 42 staples"];
    const form = { email, full_name: "Mallory’s Joke", password: "the password of mallory" };
    await world.anonymous().post("/signup", { ...form, phone_country: "US" });
    const guest = world.anonymous();
    await open(guest, await invite(owner, listing, email));
    const { token } = await world.mailAbout(email, "onfirm");
    expect(
      await guest.post("/confirm", { intent: "openLink", type: "email", token_hash: token }),
    ).toRedirectTo("/recovery/new");
    expect(
      await guest.post("/recovery/new", { intent: "save", password, confirm_password: password }),
    ).toRedirectTo("/invitation");
    const page = await guest.page("/invitation");
    expect(page).toSay("Please check your details and email choices under My Account, too.");
    expect(page).toSay("The owner will see the address they invited and the changes you make.");
    expect(page).toSay("Add your name");
    expect(page.body).toContain('href="/account"');
    const details = { email, full_name: "New Comer", seen: "{}" };
    expect(await guest.post("/account", details)).toRedirectTo("/account");
    expect(await guest.page("/invitation")).toSay("The owner will see your name (New Comer), the");
  });

  it("is refused to anyone else, in words that reveal nothing", async () => {
    const { owner, listing } = await ownerWithListing();
    const [guest, thief] = [await world.owner(), await world.owner()];
    const link = await invite(owner, listing, guest.email);
    const page = await open(thief, link);
    expect(page).toHaveStatus(403);
    expect(page).toSay("This invitation isn’t for this account");
    expect(page).not.toSay("Café Olive");
    const token = new URL(link, world.appUrl).searchParams.get("token")!;
    expect(await thief.submit("/invitation", { intent: "accept", token })).toSay(
      "This invitation isn’t for this account",
    );
    expect(await thief.page(`/listings/${listing.id}`)).toBeNotFound();
    expect(await accept(guest, link)).toRedirectTo("/listings");
  });

  it("is refused with a reason when it was used, has expired, was canceled or replaced, or is unknown", async () => {
    const { owner, listing } = await ownerWithListing();
    const guest = await world.owner();
    const first = await invite(owner, listing, guest.email);
    const second = await invite(owner, listing, guest.email);
    expect(await open(guest, first)).toSay("The owner canceled it or sent a newer one.");
    await world.sql(
      "update public.manager_invitations set expires_at = now() where place_id = $1",
      [listing.id],
    );
    const late = await open(guest, second);
    expect(late).toHaveStatus(410);
    expect(late).toSay("This invitation has expired");
    const third = await invite(owner, listing, guest.email);
    const page = await open(guest, third);
    const form = { intent: "accept", token: page.value("token")! };
    expect(await guest.otherTab().post("/invitation", form)).toRedirectTo("/listings");
    const again = await open(guest, third);
    expect(again).toHaveStatus(410);
    expect(again).toSay("You’ve already accepted this invitation");
    // No cookie is signed for a text that is not a token, such as an id.
    for (const text of [guest.id, "x", "A".repeat(44)])
      expect((await guest.get(`/invitation?token=${text}`)).setCookies.join()).toMatch(
        /^invitation=;/,
      );
    expect(await open(guest, "/invitation?token=%00x")).toSay("open the link in the email we sent");
    expect(
      await open(guest, "/invitation?token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    ).toSay("Invitation not found");
    expect(await guest.submit("/invitation", { intent: "accept", token: "x" })).toSay(
      "Invitation not found",
    );
  });

  it("ends when its owner cancels it, or no longer owns the listing", async () => {
    const { owner, listing } = await ownerWithListing();
    const guest = await world.owner();
    const first = await invite(owner, listing, guest.email);
    const page = await owner.page(`/listings/${listing.id}/managers`);
    expect(page).toSay(guest.email);
    const [row] = await world.sql("select id from public.manager_invitations where place_id = $1", [
      listing.id,
    ]);
    expect(
      await owner.post(`/listings/${listing.id}/managers`, {
        intent: "withdraw",
        invitation: String(row!["id"]),
      }),
    ).toRedirectTo(`/listings/${listing.id}/managers`);
    expect(await owner.page(`/listings/${listing.id}/managers`)).toSay("Invitation canceled.");
    expect(await open(guest, first)).toSay("This invitation was canceled");

    const second = await invite(owner, listing, guest.email);
    await world.sql("update public.places set owner = $1 where id = $2", [
      (await world.owner()).id,
      listing.id,
    ]);
    expect(await open(guest, second)).toSay("This invitation was canceled");
  });

  it("can only be accepted by someone signed in", async () => {
    expect(
      await world.anonymous().post("/invitation", { intent: "accept", token: "x" }),
    ).toAskForSignIn();
  });
});

describe("a manager", () => {
  it("finds the listing among theirs, and learns that they manage it, but not for whom", async () => {
    const { manager, listing, owner } = await managedListing({
      premium: true,
      subscription_status: "past_due",
    });
    const page = await manager.page("/listings");
    expect(page).toSay("Café Olive");
    expect(page).toSay("You manage this for its owner");
    expect(page).toSay("Nearby users");
    expect(page.body).not.toMatch(/Olive Owner|Manage billing|Upgrade|payment/);
    expect(page.body).not.toContain(owner.email);
    expect(page.body).not.toContain(owner.id);
    expect(page.body).toContain(`href="/listings/${listing.id}?back=%2Flistings"`);
    expect(await owner.page("/listings")).not.toSay("You manage this");
  });

  it("is offered no upgrade in place of numbers", async () => {
    const { manager } = await managedListing();
    const page = await manager.page("/listings");
    expect(page).toSay("Café Olive");
    expect(page).not.toSay("Upgrade");
  });

  it("saves the listing with the same form; it waits for review, and stays its owner's", async () => {
    const { manager, owner, listing } = await managedListing();
    const editor = await manager.page(`/listings/${listing.id}`);
    expect(editor).toSay("You manage this listing for its owner");
    expect(editor).not.toSay("Managers");
    expect(editor).not.toSay("Request removal");
    expect(editor.body).not.toContain(owner.email);
    expect(
      await manager.post(`/listings/${listing.id}`, {
        ...listingForm({ name: "Café Olivia", version: editor.value("version") }),
        owner: manager.id,
        status: "published",
      }),
    ).toRedirectTo("/");
    expect(await world.row("places", listing.id)).toMatchObject({
      name: "Café Olivia",
      status: "pending-update",
      owner: owner.id,
    });
    expect(
      await manager.post(`/listings/${listing.id}`, listingForm({ name: "Older", version: "1" })),
    ).toHaveStatus(409);
  });

  it("hides and shows it, but is not let near its removal, its billing, or an upgrade", async () => {
    const { manager, listing } = await managedListing({ premium: true });
    expect(
      await manager.post(`/listings/${listing.id}/visibility`, { intent: "hide" }),
    ).toRedirectTo("/listings");
    expect(await world.row("places", listing.id)).toMatchObject({ hidden: true });
    expect(await manager.get(`/listings/${listing.id}/archive`)).toRedirectTo(
      `/listings/${listing.id}/visibility`,
    );
    await manager.post(`/listings/${listing.id}/visibility`, { intent: "archive" });
    expect(await manager.page("/listings")).toSay(
      "That can’t be done with “Café Olive” right now.",
    );
    expect(await world.row("places", listing.id)).toMatchObject({ archive_requested: false });
    expect(await manager.page(`/listings/${listing.id}/billing`)).toBeNotFound();
    for (const path of ["/upgrade", "/sponsor/new", "/jobs/new"])
      expect((await manager.page(path)).body).not.toContain("Café Olive");
  });

  it("reads, sorts and downloads its leads", async () => {
    const { manager, listing, owner } = await managedListing();
    const lead = await world.insert("leads", {
      place_id: listing.id,
      requester_name: "Kai",
      requester_email: "kai@example.test",
      message: "Do you host weddings?",
    });
    expect(await manager.page("/leads")).toSay("Do you host weddings?");
    expect((await manager.get("/leads.csv")).body).toContain("Do you host weddings?");
    expect(
      await manager.post(`/leads/${String(lead["id"])}`, {
        state: "replied",
        notes: "In May",
        version: "1",
      }),
    ).toRedirectTo("/leads");
    expect((await owner.page(`/leads/${String(lead["id"])}`)).body).toContain(">In May</textarea>");
  });

  it("is removed by the owner, who is asked first, and has nothing of it from then on", async () => {
    const { manager, listing, owner } = await managedListing();
    await world.insert("leads", {
      place_id: listing.id,
      requester_name: "Kai",
      requester_email: "kai@example.test",
      message: "Private words",
    });
    const list = await owner.page(`/listings/${listing.id}/managers`);
    expect(list).toSay("Mo Manager");
    expect(list).toSay(manager.email);
    const asked = await owner.page(`/listings/${listing.id}/managers/${manager.id}`);
    expect(asked).toSay("Remove Mo Manager from “Café Olive”?");
    // Two managers may have the same name.
    expect(asked).toSay(`They were invited as ${manager.email}.`);
    expect(
      await owner.post(`/listings/${listing.id}/managers`, {
        intent: "remove",
        person: asked.value("person")!,
      }),
    ).toRedirectTo(`/listings/${listing.id}/managers`);
    expect(await owner.page(`/listings/${listing.id}/managers`)).toSay(
      "Manager removed. They no longer have access to this listing or its messages.",
    );
    expect(await manager.page(`/listings/${listing.id}`)).toBeNotFound();
    expect(await manager.page("/listings")).not.toSay("Café Olive");
    expect(await manager.page("/leads")).not.toSay("Private words");
    await owner.post(`/listings/${listing.id}/managers`, { intent: "remove", person: manager.id });
    expect(await owner.page(`/listings/${listing.id}/managers`)).toSay(
      "That person doesn’t manage this listing.",
    );
  });

  it("can leave, after being asked", async () => {
    const { manager, listing, owner } = await managedListing();
    expect(await manager.page(`/listings/${listing.id}/leave`)).toSay(
      "Stop managing “Café Olive”?",
    );
    expect(await manager.post(`/listings/${listing.id}/leave`, { intent: "leave" })).toRedirectTo(
      "/listings",
    );
    expect(await manager.page("/listings")).toSay("You no longer manage that listing.");
    expect(await owner.page(`/listings/${listing.id}/managers`)).toSay("No managers yet.");
    expect(await owner.page(`/listings/${listing.id}/leave`)).toBeNotFound();
  });
});

it("a manager reads that the owner has asked for the removal, and not that they have", async () => {
  const { owner, listing, manager } = await managedListing();
  await owner.post(`/listings/${listing.id}/visibility`, { intent: "archive" });
  const [theirs, own] = [
    await manager.page(`/listings/${listing.id}/visibility`),
    await owner.page(`/listings/${listing.id}/visibility`),
  ];
  expect(theirs).toSay("The owner has asked us to remove it.");
  expect(theirs).not.toSay("You’ve asked");
  expect(own).toSay("You’ve asked us to remove it.");
});

it("someone who was removed while they typed still has what they typed", async () => {
  const { owner, listing, manager } = await managedListing();
  const form = listingForm({ description: "Three rooms, one of them quiet." });
  const person = { intent: "remove", person: manager.id };
  await owner.post(`/listings/${listing.id}/managers`, person);
  const answer = await manager.submit(`/listings/${listing.id}`, { ...form, version: "1" });
  expect(answer).toBeNotFound();
  expect(answer).toSay("Nothing was saved. What you typed is below.");
  expect(answer).toSay("Three rooms, one of them quiet.");
});
