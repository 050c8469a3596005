import { randomUUID } from "node:crypto";

import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import { openCheckoutAs } from "../support/buyer";
import { outside } from "../support/outside";
import { createWorld, type Member } from "../support/world";

const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");

const world = await createWorld({
  stripe: true,
  env: { DIRECTORY_LISTING_URL: "https://map.example/place/{id}" },
});
const admin = await world.admin({ fullName: "Ada Admin" });

let users = 0;
const createUser = (fields: Parameters<typeof world.owner>[0] = {}) => {
  users += 1;
  return world.owner({
    email: `user-${users}@private.example`,
    phone: `+1 505-555-01${String(users).padStart(2, "0")}`,
    ...fields,
  });
};
/** The audit entries about a user, the newest first. */
const listEntries = (someone: Member) =>
  world.sql(
    "select actor, action, before, after from public.audit_log where subject = 'profiles' and subject_id = $1 order by id desc",
    [someone.id],
  );
const changeProfile = (someone: Member, columns: string) =>
  world.sql(`update public.profiles set ${columns} where id = $1`, [someone.id]);

describe("the list of users", () => {
  it("shows the profile of each user, the newest first", async () => {
    const sam = await createUser({ fullName: "Sam Rivera", pronouns: "they/them", optedIn: true });
    await changeProfile(sam, "supporter = true");
    const page = await admin.page("/admin/users");
    expect(page).toHaveStatus(200);
    expect(page.title).toMatch(/^Users · /);
    for (const header of ["Name", "Email", "Phone", "Opt-ins", "Supporter", "Favorites", "Joined"])
      expect(page).toSay(header);
    expect(page.text).toMatch(
      /Sam Rivera Pronouns: they\/them u•••@p•••\.example ••• \d\d Show contact Email Yes < 10 /,
    );
    expect(page.body).toContain(`href="/admin/users/${sam.id}"`);
    const later = await createUser({ fullName: "Newest Of All" });
    const order = [
      ...(await admin.page("/admin/users")).body.matchAll(/id="user-([0-9a-f-]{36})"/g),
    ].map(([, id]) => id);
    expect(order.slice(0, 2)).toEqual([later.id, sam.id]);
  });

  it("says who has not confirmed their address, and counts none of their opt-ins", async () => {
    const email = "never@private.example";
    await world.anonymous().post("/signup", {
      email,
      password: "correct horse 42 staples",
      full_name: "Never Confirmed",
      phone: "(505) 555-0199",
      phone_country: "US",
      opted_in: "on",
      sms_opted_in: "on",
    });
    expect((await admin.page("/admin/users?name=never")).text).toMatch(
      /Never Confirmed Not confirmed .* Show contact None No < 10 /,
    );
    const [{ id } = {}] = await world.sql("select id from public.profiles where email = $1", [
      email,
    ]);
    const profile = await admin.page(`/admin/users/${String(id)}`);
    expect(profile).toSay("Not confirmed This person hasn’t confirmed their email address");
    expect(profile.text).toMatch(/Email opt-in No SMS opt-in No/);
    expect(await admin.page(`/admin/users/${String(id)}/delete`)).toSay(
      "They don’t get an email, because their address isn’t confirmed.",
    );
    const csv = await admin.get("/admin/users.csv?name=never");
    expect(csv.body).toMatch(/,No,No,No,0,[^,]+,No\r?\n/);
    expect((await admin.page("/admin/users?name=ada")).text).not.toContain("Not confirmed");
  });

  it("is searched by name and by email address, with the search in the URL", async () => {
    const zoe = await createUser({ fullName: "Zoë Quimby", email: "zoe.quimby@mail.example" });
    await createUser({ fullName: "Zacharias Quimby" });
    for (const query of [
      "name=Zoe+Quimby",
      "name=quimby+-zacharias",
      "email=zoe.quimby@mail.example",
      "email=zoe",
      "name=Quimby&email=mail.example",
    ]) {
      const page = await admin.page(`/admin/users?${query}`);
      expect(page).toSay("1 user found");
      expect(page).toSay("Zoë Quimby");
      expect(page.body).toContain(zoe.id);
    }
    const page = await admin.page("/admin/users?name=quimby");
    expect(page).toSay("2 users found");
    expect(page.value("name")).toBe("quimby");
  });

  it.each([
    "%",
    "*",
    '"',
    "'",
    ")",
    "or(full_name.eq.Sam)",
    "\\",
    "a,b",
    "<script>",
    "x".repeat(5_000),
    "🏳️‍🌈",
  ])("takes %j literally, and finds no one", async (words) => {
    for (const field of ["name", "email"]) {
      const page = await admin.page(
        `/admin/users?${new URLSearchParams({ [field]: words }).toString()}`,
      );
      expect(page).toHaveStatus(200);
      expect(page).toSay("No users found");
    }
  });

  it.each(["%00", "%20", "", "%E2%80"])("accepts a search for %j", async (typed) => {
    expect(await admin.page(`/admin/users?name=${typed}&email=${typed}`)).toHaveStatus(200);
  });

  it("shows each user once across its pages, forwards and back", async () => {
    await world.sql(
      `insert into auth.users (id, email, raw_user_meta_data)
         select gen_random_uuid(), 'crowd-' || n || '@mail.example', jsonb_build_object('full_name', 'Crowd ' || n) from generate_series(1, 230) n`,
    );
    // All of the same time, so that the order needs the id, too.
    await world.sql(
      "update public.profiles set created_at = '2026-01-01T10:00:00.123456Z' where full_name like 'Crowd %'",
    );
    const readIds = (body: string) =>
      [...body.matchAll(/id="user-([0-9a-f-]{36})"/g)].map(([, id]) => id!);
    const link = (body: string, rel: string) =>
      new RegExp(`href="([^"]*)"[^>]*rel="${rel}"|rel="${rel}"[^>]*href="([^"]*)"`)
        .exec(body)
        ?.slice(1)
        .find(Boolean)
        ?.replaceAll("&amp;", "&");

    const pages: string[][] = [];
    let body = (await admin.page("/admin/users?name=crowd")).body;
    expect(body).toContain("230 users found");
    for (;;) {
      pages.push(readIds(body));
      const next = link(body, "next");
      if (!next) break;
      body = (await admin.page(next)).body;
    }
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 30]);
    expect(new Set(pages.flat()).size).toBe(230);
    const back = (await admin.page(link(body, "prev")!)).body;
    expect(readIds(back)).toEqual(pages[1]);
    expect(link((await admin.page(link(back, "prev")!)).body, "prev")).toBeUndefined();
    await world.sql("delete from auth.users where email like 'crowd-%'");
  });

  it.each([
    "after=x",
    "after=1",
    "before=%00",
    "after=2026-99-99T00:00:00%2B00:00_00000000-0000-4000-8000-000000000000",
    "after=2026-01-01_1",
    "after=2026-02-31T10:00:00%2B00:00_00000000-0000-4000-8000-000000000000",
    "before=' or 1=1",
  ])("ignores the malformed cursor %s", async (query) => {
    const page = await admin.page(`/admin/users?${query}`);
    expect(page).toHaveStatus(200);
    expect(page.body).not.toContain('rel="prev"');
  });

  it("takes at most two sequential calls", async () => {
    expect(await admin.page("/admin/users")).toTakeAtMostSequentialCalls(2);
    expect(await admin.page("/admin/users?name=sam")).toTakeAtMostSequentialCalls(2);
  });
});

describe("contact details", () => {
  it("are masked until an admin reveals those of one user, which is logged", async () => {
    const [shown, other] = [
      await createUser({ fullName: "Shown Person" }),
      await createUser({ fullName: "Other Person" }),
    ];
    const list = await admin.page("/admin/users");
    expect(list.body).not.toMatch(/user-\d+@|555-01/);
    expect(await listEntries(shown)).toEqual([]);

    const page = await admin.submit("/admin/users?name=person", {
      intent: "reveal",
      person: shown.id,
    });
    expect(page).toHaveStatus(200);
    expect(page).toSay(shown.email);
    expect(page.text).toMatch(/user-\d+@private\.example \+1 505-555-01\d\d Shown and logged/);
    expect(page).toSay("Other Person");
    expect(page.body).not.toContain(other.email);
    expect(await listEntries(shown)).toMatchObject([
      { actor: admin.id, action: "reveal-contact", after: { shown: ["email", "phone"] } },
    ]);
    expect(await listEntries(other)).toEqual([]);
    expect(JSON.stringify(await listEntries(shown))).not.toMatch(/@|505-?555/);
  });

  it("are links that write to the address alone, whatever is in it", async () => {
    const someone = await createUser({ email: "mal?bcc=spy%40evil.test&x=@private.example" });
    const page = await admin.submit(`/admin/users/${someone.id}`, { intent: "reveal" });
    expect(page.body).toContain(
      'href="mailto:mal%3Fbcc%3Dspy%2540evil.test%26x%3D@private.example"',
    );
  });

  it("have an audit entry each time, and are not revealed by opening a page", async () => {
    const someone = await createUser();
    await admin.page(`/admin/users/${someone.id}`);
    await admin.page(`/admin/users?intent=reveal&person=${someone.id}`);
    await admin.dataOf(`/admin/users/${someone.id}`);
    expect(await listEntries(someone)).toEqual([]);
    const page = await admin.submit(`/admin/users/${someone.id}`, { intent: "reveal" });
    expect(page).toSay(someone.email);
    await admin.submit(`/admin/users/${someone.id}`, { intent: "reveal" });
    expect(await listEntries(someone)).toHaveLength(2);
  });

  it.each([randomUUID(), "", "me", "1", "' or 1=1", "x".repeat(10_000)])(
    "do not exist for the id %j",
    async (id) => {
      const before = await world.sql("select count(*)::int as n from public.audit_log");
      expect(await admin.post("/admin/users", { intent: "reveal", person: id })).toBeNotFound();
      expect(await world.sql("select count(*)::int as n from public.audit_log")).toEqual(before);
    },
  );

  it("are for admins only", async () => {
    const [owner, someone] = [await createUser(), await createUser()];
    expect(
      await owner.post("/admin/users", { intent: "reveal", person: someone.id }),
    ).toBeForbidden();
    expect(await owner.post(`/admin/users/${someone.id}`, { intent: "reveal" })).toBeForbidden();
    expect(
      await world.anonymous().post("/admin/users", { intent: "reveal", person: someone.id }),
    ).toHaveStatus(401);
    expect(await listEntries(someone)).toEqual([]);
  });
});

describe("a user's page", () => {
  it("shows their profile, listings, and jobs", async () => {
    const sam = await createUser({
      fullName: "Sam Lindqvist",
      pronouns: "ze/hir",
      postalCode: "94114",
      optedIn: true,
    });
    const onMap = await world.listing({ owner: sam, name: "On The Map", proxi_id: "proxi-1" });
    const offMap = await world.listing({ owner: sam, name: "Off The Map", status: "new" });
    const hidden = { owner: sam, name: "Shy", status: "published", hidden: true };
    await world.listing({ ...hidden, proxi_id: "proxi-2" });
    await world.insert("jobs", {
      title: "Baker",
      category: 85,
      description: "Bake.",
      location: "{NM}",
      place_id: onMap.id,
      owner: sam.id,
    });

    const page = await admin.page(`/admin/users/${sam.id}`);
    expect(page).toHaveStatus(200);
    expect(page.heading).toBe("Sam Lindqvist");
    for (const words of [
      "Full name Sam Lindqvist",
      "Email u•••@p•••.example",
      "Phone •••",
      "Pronouns ze/hir",
      "ZIP / postal code 94114",
      "User type Business Owner",
      "Email opt-in Yes",
      "SMS opt-in No",
      "Permanently Delete",
      "Baker",
      "Pending payment",
      "Published Hidden",
    ])
      expect(page).toSay(words);
    expect(page.body).toContain("View on map: On The Map");
    expect(page.body).not.toContain("View on map: Shy");
    expect(page.body).toContain(`aria-label="Edit listing: On The Map (${onMap.id})"`);
    expect(page.body).toContain(`href="/listings/${offMap.id}?back=`);
    expect(page.body).toContain(`href="https://map.example/place/${onMap.id}"`);
    expect(page.body).not.toContain(`https://map.example/place/${offMap.id}`);
    expect(page.body).toContain(`href="/admin/users/${sam.id}/delete"`);
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("shows nothing that the forms say is only counted: where they ask for a postal code, they say that the team sees it", async () => {
    const sam = await createUser({ postalCode: "94114-1801" });
    expect(await admin.page(`/admin/users/${sam.id}`)).toSay("ZIP / postal code 94114-1801");
    // A download without contact details, of which the log has no entry, has none.
    const { body } = await admin.get(`/admin/users.csv?email=${sam.email}`);
    expect(body).toContain(sam.id);
    expect(body).not.toContain("94114");
    expect(body).not.toContain("postal code");
    const words =
      "Only our team can see this. It helps us count how many people are near a listing.";
    expect(await sam.page("/account")).toSay(words);
    expect(await world.anonymous().page("/signup")).toSay(words);
  });

  it("distinguishes users of the app from business owners", async () => {
    const someone = await createUser();
    await changeProfile(someone, "business_owner = false");
    expect(await admin.page(`/admin/users/${someone.id}`)).toSay("User type App User");
  });

  it("shows the audit log of the user", async () => {
    const someone = await createUser();
    await admin.post(`/admin/users/${someone.id}`, { intent: "reveal" });
    const page = await admin.page(`/admin/users/${someone.id}`);
    expect(page).toSay("Contact details shown by Ada Admin");
    expect(page.body).toContain(
      `href="/admin/audit?subject=profiles&amp;subject_id=${someone.id}"`,
    );
  });

  it.each([randomUUID(), "abc", "1", "00000000-0000-0000-0000-00000000000", "%00", "..%2f"])(
    "says that no user exists with the id %s",
    async (id) => {
      for (const path of [`/admin/users/${id}`, `/admin/users/${id}/delete`]) {
        const page = await admin.page(path);
        expect(page).toBeNotFound();
        expect(page).toSay("No user exists");
      }
    },
  );
});

it("admin rights that a request of an admin gives or takes are emailed to the team and to their user, without a name", async () => {
  const someone = await createUser({ fullName: "Noor Haddad" });
  const key = world.supabase.publishableKey;
  const ask = (method: string, path: string, body: object, token = key) =>
    fetch(`${world.supabase.url}/${path}`, {
      method,
      headers: {
        apikey: key,
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify(body),
    });
  const { email, password } = admin;
  const signedIn = await ask("POST", "auth/v1/token?grant_type=password", { email, password });
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  const setAdmin = async (given: boolean) => {
    await ask("PATCH", `rest/v1/profiles?id=eq.${someone.id}`, { admin: given }, token);
    await deliverEmailQueue();
  };
  await setAdmin(true);
  const news = world.mail(admin.email);
  expect(news.subject).toBe("Admin rights have changed");
  expect(news.text).toContain(
    "An account now has admin rights. Someone who’s signed in as an admin did this.",
  );
  expect(news.text).not.toContain("Noor");
  expect(news.link).toBe(`/admin/users/${someone.id}`);
  expect(world.mail(someone.email).text).toContain("Your account now has admin rights.");
  await setAdmin(false);
  const own = world.mail(someone.email);
  expect(own.text).toContain("Your account no longer has admin rights.");
  expect(own.text).not.toContain("log");
  expect(world.mail(admin.email).text).toContain("An account no longer has admin rights.");
});

describe("deleting a user", () => {
  it("asks first, and says what will happen", async () => {
    const someone = await createUser({ fullName: "Gone Soon" });
    const listing = await world.listing({ owner: someone });
    await world.listing({ owner: someone });
    await world.listing({ owner: someone, status: "archived" });
    await world.listing({
      owner: someone,
      status: "pending-update",
      last_update: JSON.stringify({ phone: "+1 505 555 0101" }),
    });
    await world.insert("jobs", {
      title: "Baker",
      category: 85,
      description: "Bake.",
      location: "{NM}",
      place_id: listing.id,
      owner: someone.id,
    });
    await world.insert("feedback", { userid: someone.id, feedback: "Lovely" });
    const page = await admin.page(`/admin/users/${someone.id}/delete`);
    expect(page.heading).toBe("Do you really want to permanently delete this user?");
    for (const words of [
      "Gone Soon",
      "2 listings stay in the directory, without an owner",
      "1 listing with a change that hasn’t been approved is hidden, without the change and without an owner",
      "1 listing that isn’t public stays that way, without an owner",
      "1 job stays, without an owner",
      "1 piece of feedback stays",
    ]) {
      expect(page).toSay(words);
    }
    expect(page).toTakeAtMostSequentialCalls(2);
    expect(await world.row("profiles", someone.id)).toBeDefined();
  });

  it("ends their sessions, leaves their listings, and has one audit entry when it is repeated", async () => {
    const someone = await createUser();
    const listing = await world.listing({ owner: someone });
    const response = await admin.post(`/admin/users/${someone.id}/delete`, { intent: "delete" });
    expect(response).toRedirectTo("/admin/users");
    expect(await admin.page("/admin/users")).toSay("User permanently deleted.");
    expect(await world.row("profiles", someone.id)).toBeUndefined();
    expect(await someone.get("/listings")).toAskForSignIn();
    expect(await world.row("places", listing.id)).toMatchObject({ owner: null, owner_email: null });
    expect(await listEntries(someone)).toMatchObject([{ actor: admin.id, action: "delete-user" }]);

    expect(
      await admin.post(`/admin/users/${someone.id}/delete`, { intent: "delete" }),
    ).toRedirectTo("/admin/users");
    expect(await admin.page("/admin/users")).toSay("already deleted");
    expect(await listEntries(someone)).toHaveLength(1);
  });

  it("tells them by email, and keeps their address no longer than that takes", async () => {
    const someone = await createUser();
    await world.listing({ owner: someone, name: "Café X" });
    await admin.post(`/admin/users/${someone.id}/delete`, { intent: "delete" });
    const { text } = await world.mailAbout(someone.email, "Your account was deleted");
    expect(text).toContain("Our team has deleted your account, so you can’t sign in anymore.");
    expect(text).toContain("Your listing isn’t deleted. It has no owner now.");
    expect(text).toContain("because you had an account with this address");
    await expect
      .poll(() =>
        world.sql(
          "select address from private.email_queue where kind = 'account-deleted' and address <> ''",
        ),
      )
      .toEqual([]);
  });

  it("says in that email what stays: a job that people can see, payments, and what they have sent our team", async () => {
    const [someone, both] = [await createUser(), await createUser()];
    const live = {
      category: 85,
      description: "Bake.",
      location: "{NM}",
      company_name: "Bake Co.",
      company_bio: "We bake.",
      paid: true,
      published: true,
      expiration_date: new Date(Date.now() + 20 * 86_400_000).toISOString(),
    };
    await world.insert("jobs", { ...live, title: "Baker", owner: someone.id });
    await world.insert("jobs", {
      ...live,
      title: "Not public",
      owner: someone.id,
      published: false,
    });
    await world.insert("jobs", { ...live, title: "Cook", owner: both.id });
    await world.listing({ owner: both });
    for (const { id } of [someone, both])
      await admin.post(`/admin/users/${id}/delete`, { intent: "delete" });
    const { text } = await world.mailAbout(someone.email, "Your account was deleted");
    expect(text).not.toContain("what we knew about you");
    expect(text).toContain("Your job isn’t deleted. It has no owner now.");
    expect(text).toContain("We keep records of payments, as the law requires.");
    expect(text).toContain("Feedback and reports that you’ve sent us stay without your name.");
    const mail = await world.mailAbout(both.email, "Your account was deleted");
    expect(mail.text).toContain("Your listing and job aren’t deleted. They have no owner now.");
  });

  it("tells them discreetly, if they have asked for that", async () => {
    const someone = await createUser();
    await world.sql("update public.profiles set discreet = true where id = $1", [someone.id]);
    await admin.post(`/admin/users/${someone.id}/delete`, { intent: "delete" });
    const mail = await world.mailAbout(someone.email, "A message for you");
    expect(mail.text).toContain("Our team has deleted your account");
    expect(mail.text).not.toContain("Everyone’s Map");
    expect(mail.text).not.toContain("listing");
  });

  it("ends their subscriptions first", async () => {
    const { someone, listing, subscription } = await createPayingOwner();
    expect(await admin.page(`/admin/users/${someone.id}/delete`)).toSay(
      "1 Featured plan is ended first",
    );
    expect(
      await admin.post(`/admin/users/${someone.id}/delete`, { intent: "delete" }),
    ).toRedirectTo("/admin/users");
    expect(world.stripe.subscription(subscription)).toMatchObject({ status: "canceled" });
    expect(await world.row("profiles", someone.id)).toBeUndefined();
    expect(await world.row("places", listing)).toMatchObject({ owner: null, premium: false });
  });

  it("deletes nothing when the account has changed since the page was opened", async () => {
    const someone = await world.owner();
    const path = `/admin/users/${someone.id}/delete`;
    const form = { intent: "delete", seen: (await admin.page(path)).value("seen") };
    await world.listing({ owner: someone, name: "Café Olive" });
    const answer = await admin.submit(path, form);
    expect(answer).toHaveStatus(409);
    expect(answer).toSay("This account has changed since you opened the page.");
    expect(answer).toSay("1 listing stays in the directory, without an owner.");
    expect(await world.row("profiles", someone.id)).toMatchObject({ id: someone.id });
    const seen = (await admin.page(path)).value("seen");
    expect(await admin.post(path, { ...form, seen })).toRedirectTo("/admin/users");
    // Again, such as after a lost answer.
    expect(await admin.post(path, { ...form, seen })).toRedirectTo("/admin/users");
  });

  it("deletes nothing else while a subscription can't be ended", async () => {
    const { someone, subscription } = await createPayingOwner();
    outside.use(http.all(`${world.stripe.url}/*`, () => HttpResponse.error()));
    const page = await admin.submit(`/admin/users/${someone.id}/delete`, { intent: "delete" });
    expect(page).toHaveStatus(503);
    expect(page).toSay(
      "Some of this user’s plans may have ended. Nothing else was deleted. Please try again in a few minutes.",
    );
    expect(await world.row("profiles", someone.id)).toBeDefined();
    expect(world.stripe.subscription(subscription)).toMatchObject({ status: "active" });
  });

  it("says that plans have ended when it's sent again after it failed halfway, and asks once more", async () => {
    const { someone, subscription } = await createPayingOwner();
    const path = `/admin/users/${someone.id}/delete`;
    const form = { intent: "delete", seen: (await admin.page(path)).value("seen") };
    outside.use(http.delete(`${world.stripe.url}/v1/customers/*`, () => HttpResponse.error()));
    expect(await admin.submit(path, form)).toHaveStatus(503);
    expect(world.stripe.subscription(subscription)).toMatchObject({ status: "canceled" });
    outside.resetHandlers();

    const again = await admin.submit(path, form);
    expect(again).toHaveStatus(409);
    expect(again).toSay(
      "This user’s Featured plan has ended since you opened the page. The account wasn’t deleted. Confirm it again to delete it.",
    );
    expect(again).not.toSay("Nothing was deleted");
    // Also when it isn't all that has changed.
    await world.listing({ owner: someone, name: "Café Olive" });
    expect(await admin.submit(path, form)).toSay(
      "This user’s Featured plan has ended since you opened the page, and more has changed. The account wasn’t deleted. Check what deleting it does now, and confirm it again.",
    );
    expect(await world.row("profiles", someone.id)).toBeDefined();
    const seen = (await admin.page(path)).value("seen");
    expect(await admin.post(path, { ...form, seen })).toRedirectTo("/admin/users");
    expect(await world.row("profiles", someone.id)).toBeUndefined();
  });

  it("says how many plans of several have ended meanwhile", async () => {
    const someone = await createUser();
    const path = `/admin/users/${someone.id}/delete`;
    const ids = ["sub_meanwhile_1", "sub_meanwhile_2"];
    for (const id of ids) {
      await world.listing({
        owner: someone,
        stripe_subscription_id: id,
        subscription_status: "active",
      });
    }
    const form = { intent: "delete", seen: (await admin.page(path)).value("seen") };
    const end = (id: string) =>
      world.sql(
        "update public.places set subscription_status = 'canceled' where stripe_subscription_id = $1",
        [id],
      );
    await end(ids[0]!);
    expect(await admin.submit(path, form)).toSay(
      "1 of this user’s 2 Featured plans has ended since you opened the page.",
    );
    await end(ids[1]!);
    expect(await admin.submit(path, form)).toSay(
      "This user’s 2 Featured plans have ended since you opened the page.",
    );
  });

  it("does not end the subscriptions of an admin who tries to delete themselves", async () => {
    const { someone, subscription } = await createPayingOwner();
    await changeProfile(someone, "admin = true");
    expect(
      await someone.submit(`/admin/users/${someone.id}/delete`, { intent: "delete" }),
    ).toHaveStatus(400);
    expect(world.stripe.subscription(subscription)).toMatchObject({ status: "active" });
    expect(await world.row("profiles", someone.id)).toBeDefined();
  });

  /** An owner who pays for a Featured listing. */
  async function createPayingOwner() {
    const someone = await createUser();
    const { id } = await world.listing({ owner: someone });
    await world.stripe.pay(
      await openCheckoutAs(world, someone, { kind: "upgrade", placeId: id, plan: "monthly" }),
    );
    const { stripe_subscription_id: subscription } = (await world.row("places", id))!;
    return { someone, listing: id, subscription: subscription as string };
  }

  it("is not possible for the admin who asks", async () => {
    expect(await admin.page(`/admin/users/${admin.id}/delete`)).toSay(
      "You can’t delete your own account here.",
    );
    expect((await admin.page(`/admin/users/${admin.id}`)).body).not.toContain("Permanently Delete");
    const page = await admin.submit(`/admin/users/${admin.id}/delete`, { intent: "delete" });
    expect(page).toHaveStatus(400);
    expect(page).toSay("You can’t delete your own account here.");
    expect(await world.row("profiles", admin.id)).toMatchObject({ admin: true });
  });

  it("is for admins only, and needs an intent", async () => {
    const [owner, someone] = [await createUser(), await createUser()];
    expect(
      await owner.post(`/admin/users/${someone.id}/delete`, { intent: "delete" }),
    ).toBeForbidden();
    expect(await admin.post(`/admin/users/${someone.id}/delete`)).toHaveStatus(400);
    expect(await world.row("profiles", someone.id)).toBeDefined();
  });
});
