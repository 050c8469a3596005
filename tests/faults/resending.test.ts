/**
 * "Sending it again is safe": each form, with the response to each of its calls lost in turn after the call had
 * its effect. Sent again, it leads to where it would have led, has its effect once, and is never called someone else's change.
 */
import { randomUUID } from "node:crypto";

import { bypass, http, type HttpResponseResolver, passthrough } from "msw";
import { beforeAll, describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import { insertJob } from "../support/buyer";
import { forgetOrders } from "../support/forget-orders";
import { buyingIn } from "../support/buying";
import { accountForm, jobForm, listingForm, sponsorshipForm } from "../support/forms";
import { listNewsletterDates } from "../support/newsletter-dates";
import { everyThird } from "../support/nightly";
import { outside } from "../support/outside";
import { createWorld, type Member } from "../support/world";

import { faults, recover } from "./outage";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const { buyJob, buyPlan } = buyingIn(world);
const { createInvitationToken } = await import("~/modules/managers/invitation.server");
const [day = "", other = "", spare = ""] = (await listNewsletterDates(world)).toReversed();

let owner: Member;
let admin: Member;
beforeAll(async () => {
  owner = await world.owner();
  admin = await world.admin();
});

interface Form {
  by?: Member;
  path: string;
  fields: Record<string, string | string[]>;
  /** What is there afterwards, without ids. */
  state: () => Promise<unknown>;
}

const one = async (text: string, values: unknown[]) => world.sql(text, values);

async function lead(): Promise<Form> {
  const listing = await world.listing({ owner });
  const { id } = await world.insert("leads", {
    place_id: listing.id,
    requester_name: "Robin",
    requester_email: "robin@example.test",
    message: "Hello",
  });
  return {
    path: `/leads/${String(id)}`,
    fields: { state: "replied", notes: "Called back.\r\nTwice.", version: "1" },
    state: () => one("select state, notes, version from public.leads where id = $1", [id]),
  };
}

const orderState = (where: string, value: unknown) => () =>
  one(
    `select promo_text, rate, sponsorship_dates::text, paid, version,
      (select count(*)::int from public.orders o where o.sponsorship_id = s.id and o.status = 'open') as open
     from public.sponsorships s where ${where} = $1`,
    [value],
  );

async function newOrder(dates: string[]): Promise<Form> {
  // A newsletter has ten spots, and an owner may hold only some.
  await forgetOrders(world);
  await world.sql("delete from public.sponsorships");
  const submission = randomUUID();
  return {
    path: "/sponsor/new",
    fields: sponsorshipForm(await world.listing({ owner }), {
      sponsorship_dates: dates,
      submission_id: submission,
    }),
    state: orderState("submission_id", submission),
  };
}

async function savedOrder(fields: Record<string, unknown>): Promise<Form> {
  const made = await newOrder([day]);
  await owner.post(made.path, made.fields);
  const [row] = await one("select id from public.sponsorships where submission_id = $1", [
    made.fields["submission_id"],
  ]);
  const { submission_id: _, ...saved } = made.fields;
  return {
    path: `/sponsor/${String(row!["id"])}`,
    fields: { ...saved, version: "1", ...fields },
    state: orderState("id", row!["id"]),
  };
}

async function paidOrder(fields: Form["fields"]): Promise<Form> {
  const made = await newOrder([day, other]);
  await stripe.pay((await owner.post(made.path, made.fields)).location!);
  const [row] = await one("select id, version from public.sponsorships where submission_id = $1", [
    made.fields["submission_id"],
  ]);
  return {
    path: `/sponsor/${String(row!["id"])}`,
    fields: { ...fields, version: String(row!["version"]) },
    state: async () => [
      await orderState("id", row!["id"])(),
      await one(
        "select r.cents, r.reason from public.refunds r join public.payments p on p.id = r.payment_id join public.orders o on o.id = p.order_id where o.sponsorship_id = $1",
        [row!["id"]],
      ),
    ],
  };
}

const jobState = (id: unknown) => () =>
  one(
    "select title, description, owner, published, filled_at is not null as filled, version from public.jobs where id = $1",
    [id],
  );

async function job(fields: Form["fields"], by = owner): Promise<Form> {
  const id = await insertJob(world, owner);
  return {
    by,
    path: `/jobs/${id}`,
    fields: jobForm({ title: "Night baker", version: "1", ...fields }),
    state: jobState(id),
  };
}

async function listing(fields: Form["fields"], by = owner): Promise<Form> {
  const { id } = await world.listing({ owner });
  return {
    by,
    path: `/listings/${id}`,
    fields: listingForm({ name: "Renamed", version: "1", intent: "save", ...fields }),
    state: () => one("select name, status, version from public.places where id = $1", [id]),
  };
}

async function managed() {
  const [guest, { id }] = [await world.owner(), await world.listing({ owner })];
  const path = `/listings/${id}/managers`;
  const submission = randomUUID();
  await world.sql("delete from public.rate_limits");
  const invitation = { intent: "invite", submission_id: submission, email: guest.email };
  const state = async () => [
    await one("select count(*)::int from public.listing_managers where place_id = $1", [id]),
    await one(
      "select accepted_at is not null as accepted, withdrawn_at is not null as withdrawn from public.manager_invitations where place_id = $1",
      [id],
    ),
  ];
  const invite = () => owner.post(path, invitation);
  const accept = { intent: "accept", token: createInvitationToken(submission) };
  const join = async () => {
    await invite();
    await guest.post("/invitation", accept);
  };
  return { guest, id, path, submission, invitation, state, invite, accept, join };
}

/** What decisions left behind: the listing, its audit log, and the emails about it. */
const decided = (id: number) => async () => [
  await one("select status, changes_requested, version from public.places where id = $1", [id]),
  await one(
    "select action, count(*)::int from public.audit_log where subject = 'places' and subject_id = $1 group by 1 order by 1",
    [String(id)],
  ),
  await one(
    "select kind, count(*)::int from private.email_queue where place_id = $1 group by 1 order by 1",
    [id],
  ),
];

let queues = 0;
/** A decision on the review page of a listing, in a queue of two, so that there is a next one. */
async function review(fields: Form["fields"], status = "new"): Promise<Form> {
  queues += 1;
  const place = { owner, state: `R${queues}`, status };
  const { id } = await world.listing({ ...place, name: "A", last_update: { name: "Before" } });
  await world.listing({ ...place, name: "B" });
  const path = `/admin/listings/${id}?state=R${queues}&sort=name`;
  const { listing, batch } = (await admin.get(path)).data as {
    listing: { version: number; cursor: string };
    batch: string;
  };
  return {
    by: admin,
    path,
    fields: { version: String(listing.version), at: listing.cursor, batch, ...fields },
    state: decided(id),
  };
}

/** A decision about a selection, on the page that shows what it would do. */
async function selection(fields: Form["fields"]): Promise<Form> {
  const { id } = await world.listing({ owner, status: "new" });
  const chosen = { intent: "choose", action: "approve", listing: `${id}:1` };
  const { location } = await admin.post("/admin/new", chosen);
  return {
    by: admin,
    path: location!,
    fields: { action: "approve", ...fields },
    state: decided(id),
  };
}

const forms: Record<string, () => Promise<Form>> = {
  "an approval": () => review({ intent: "approve" }),
  "a request for changes": () =>
    review({ intent: "request-changes", reason: "", reason_text: "Is it Main St?" }),
  "an edit that is rejected": () =>
    review({ intent: "reject", reject_reason: "No one answers there." }, "pending-update"),
  "a listing that is flagged": () => review({ intent: "flag" }),
  "the decision about a selection": () => selection({ intent: "decide" }),
  "an undo": async () => {
    const form = await selection({ intent: "undo" });
    await admin.post(form.path, { intent: "decide", action: "approve" });
    return form;
  },
  "an approval in a listing’s details": async () => {
    const { id } = await world.listing({ owner, status: "new" });
    return {
      by: admin,
      path: `/admin/listings/${id}/details`,
      fields: { intent: "approve", version: "1" },
      state: decided(id),
    };
  },
  "an approval in a queue": async () => {
    const { id } = await world.listing({ owner, status: "new" });
    return {
      by: admin,
      path: "/admin/new",
      fields: { intent: "choose", approve: `${id}:1` },
      state: decided(id),
    };
  },
  "a view of a queue": async () => {
    const name = `View ${(queues += 1)}`;
    return {
      by: admin,
      path: "/admin/new?search=x",
      fields: { intent: "save-view", name },
      state: () => one("select count(*)::int from public.saved_views where name = $1", [name]),
    };
  },
  "newsletter dates that are blocked": async () => {
    await world.sql("update public.sponsorship_dates set blocked = false");
    return {
      by: admin,
      path: "/admin/newsletter-dates",
      fields: { intent: "block", date: [spare] },
      state: () =>
        one("select blocked from public.sponsorship_dates where weekday_date = $1", [spare]),
    };
  },
  "a user who is deleted": async () => {
    const { id } = await world.owner();
    return {
      by: admin,
      path: `/admin/users/${id}/delete`,
      fields: { intent: "delete" },
      state: () => one("select count(*)::int from auth.users where id = $1", [id]),
    };
  },
  "a refund": async () => {
    const { order, payment } = await buyJob(owner);
    return {
      by: admin,
      path: `/admin/payments/${order}`,
      fields: { intent: "refund", refund: randomUUID(), payment, amount: "2", note: "Asked." },
      state: () => one("select cents::int from public.refunds where payment_id = $1", [payment]),
    };
  },
  "a plan that the team ends": async () => {
    const place = await world.listing({ owner });
    const plan = await buyPlan(owner, place);
    const [order] = await one("select id from public.orders where place_id = $1", [place.id]);
    return {
      by: admin,
      path: `/admin/payments/${String(order!["id"])}`,
      fields: { intent: "end-subscription" },
      state: async () => stripe.subscription(plan).status,
    };
  },
  "the state and notes of a lead": lead,
  "a new sponsorship": () => newOrder([day, other]),
  "a new sponsorship without dates": () => newOrder([]),
  "a sponsorship with other words": () => savedOrder({ promo_text: "New words." }),
  "a sponsorship with another price and dates": () =>
    savedOrder({ rate: "300", sponsorship_dates: [day, other] }),
  "a sponsorship without dates anymore": () => savedOrder({ sponsorship_dates: [] }),
  "the deletion of a sponsorship": async () => ({
    ...(await savedOrder({})),
    fields: { intent: "delete" },
  }),
  "what a paid sponsorship says": () =>
    paidOrder({ intent: "save", promo_text: "New words.", link: "", location: "Here" }),
  "the cancellation of a newsletter": () => paidOrder({ intent: "cancel-dates", date: [other] }),
  "a new job": async () => {
    const submission = randomUUID();
    return {
      path: "/jobs/new",
      fields: jobForm({ submission_id: submission }),
      state: () =>
        one("select title, version from public.jobs where submission_id = $1", [submission]),
    };
  },
  "an edited job": () => job({ intent: "later" }),
  "an edited job and its payment": () => job({}),
  "a job that an admin edits": () => job({ intent: "later" }, admin),
  "a job that is filled": async () => {
    const id = await insertJob(world, owner);
    await world.sql(
      "update public.jobs set paid = true, published = true, expiration_date = now() + interval '9 days' where id = $1",
      [id],
    );
    return { path: `/jobs/${id}/status`, fields: { intent: "fill" }, state: jobState(id) };
  },
  "the deletion of a job": async () => {
    const id = await insertJob(world, owner);
    return {
      path: `/jobs/${id}/status`,
      fields: { intent: "delete" },
      state: () => one("select count(*)::int from public.jobs where id = $1", [id]),
    };
  },
  "a new listing": async () => {
    const submission = randomUUID();
    return {
      path: "/listings/new",
      fields: listingForm({ submission_id: submission, intent: "save" }),
      state: () =>
        one("select name, version from public.places where submission_id = $1", [submission]),
    };
  },
  "an edited listing": () => listing({}),
  "a listing that an admin edits": () => listing({ status: "published" }, admin),
  "a listing that is claimed": async () => {
    const { id } = await world.listing({ owner: null, owner_email: owner.email });
    return {
      path: `/listings/${id}`,
      fields: listingForm({ name: "Claimed", version: "1", intent: "save" }),
      state: () => one("select name, owner, version from public.places where id = $1", [id]),
    };
  },
  "a listing that is hidden": async () => {
    const { id } = await world.listing({ owner });
    return {
      path: `/listings/${id}/visibility`,
      fields: { intent: "hide" },
      state: () => one("select hidden, version from public.places where id = $1", [id]),
    };
  },
  "a listing whose removal is requested": async () => {
    const { id } = await world.listing({ owner });
    return {
      path: `/listings/${id}/visibility`,
      fields: { intent: "archive" },
      state: () => one("select archive_requested, version from public.places where id = $1", [id]),
    };
  },
  "an edit that is withdrawn": async () => {
    const { id } = await world.listing({ owner });
    await owner.post(`/listings/${id}`, listingForm({ name: "Renamed", version: "1" }));
    return {
      path: `/listings/${id}/withdraw`,
      fields: { intent: "withdraw", version: "2" },
      state: () => one("select status, last_update from public.places where id = $1", [id]),
    };
  },
  "an account": async () => ({
    path: "/account",
    fields: accountForm({ email: owner.email, full_name: "Zoë", opted_in: "on" }),
    state: () => one("select full_name, opted_in from public.profiles where id = $1", [owner.id]),
  }),
  "an account with another email address": async () => {
    const person = await world.owner();
    return {
      by: person,
      path: "/account",
      fields: accountForm({
        email: `next-${randomUUID()}@example.test`,
        full_name: "Zoë",
        current_password: person.password,
      }),
      state: () => one("select full_name from public.profiles where id = $1", [person.id]),
    };
  },
  "which emails someone gets": async () => {
    const person = await world.owner();
    return {
      by: person,
      path: "/account/notices",
      fields: { notices: ["new-lead"] },
      state: () => world.row("email_preferences", person.id).catch(() => null),
    };
  },
  "a canceled plan": async () => {
    const place = await world.listing({ owner });
    const subscription = await buyPlan(owner, place);
    return {
      path: `/listings/${place.id}/billing`,
      fields: { intent: "cancel-plan" },
      state: async () => stripe.subscription(subscription).cancel_at_period_end,
    };
  },
  "a plan that ends now": async () => {
    const place = await world.listing({ owner });
    const plan = await buyPlan(owner, place);
    await stripe.renew(plan, "declined");
    return {
      path: `/listings/${place.id}/billing`,
      fields: { intent: "end-plan" },
      state: async () => stripe.subscription(plan).status,
    };
  },
  "a plan for someone else’s listing that ends now": async () => {
    const place = await world.listing({ owner });
    const plan = await buyPlan(owner, place);
    await stripe.renew(plan, "declined");
    await world.sql("update public.places set owner = null where id = $1", [place.id]);
    return {
      path: "/account/purchases",
      fields: { intent: "end-plan", subscription: plan },
      state: async () => stripe.subscription(plan).status,
    };
  },
  "a plan that is kept": async () => {
    const place = await world.listing({ owner });
    const plan = await buyPlan(owner, place);
    await owner.post(`/listings/${place.id}/billing`, { intent: "cancel-plan" });
    return {
      path: `/listings/${place.id}/billing`,
      fields: { intent: "keep-plan" },
      state: async () => stripe.subscription(plan).cancel_at_period_end,
    };
  },
  "a plan that is chosen": async () => {
    const place = await world.listing({ owner });
    return {
      path: "/upgrade",
      fields: { intent: "upgrade", place: String(place.id), plan: "six_months" },
      state: () => one("select count(*)::int from public.orders where place_id = $1", [place.id]),
    };
  },
  "the deletion of an account": async () => {
    const person = await world.owner();
    return {
      by: person,
      path: "/privacy/delete",
      fields: { intent: "delete", current_password: person.password },
      state: () =>
        one("select count(*)::int from private.account_deletions where user_id = $1", [person.id]),
    };
  },
  "discreet mode": async () => ({
    path: "/privacy",
    fields: { intent: "discreet" },
    state: () => one("select discreet from public.profiles where id = $1", [owner.id]),
  }),
  "feedback that is archived": async () => {
    const { id } = await world.insert("feedback", { userid: owner.id, feedback: "Lovely" });
    return {
      by: admin,
      path: "/admin/feedback",
      fields: { intent: "archive", feedback: [String(id)] },
      state: () => one("select archived from public.feedback where id = $1", [id]),
    };
  },
  "a report that is resolved": async () => {
    const place = await world.listing({ owner });
    const { id } = await world.insert("events", { event_name: "report_listing", place: place.id });
    return {
      by: admin,
      path: "/admin/reports",
      fields: { intent: "resolve", report: [String(id)], note: "Called them." },
      state: () => one("select state, note from public.events where id = $1", [id]),
    };
  },
  "a report whose listing is flagged": async () => {
    const place = await world.listing({ owner });
    const { id } = await world.insert("events", { event_name: "report_listing", place: place.id });
    return {
      by: admin,
      path: "/admin/reports",
      fields: { intent: "flag", report: [String(id)] },
      state: async () => [
        await one("select state from public.events where id = $1", [id]),
        await one("select status from public.places where id = $1", [place.id]),
      ],
    };
  },
  "an invitation": async () => {
    const { path, invitation: fields, state } = await managed();
    return { path, fields, state };
  },
  "an invitation that is accepted": async () => {
    const { guest, accept, state, invite } = await managed();
    await invite();
    return { by: guest, path: "/invitation", fields: accept, state };
  },
  "an invitation that is withdrawn": async () => {
    const { path, submission, state, invite } = await managed();
    await invite();
    return { path, fields: { intent: "withdraw", invitation: submission }, state };
  },
  "a manager who is removed": async () => {
    const { guest, path, state, join } = await managed();
    await join();
    return { path, fields: { intent: "remove", person: guest.id }, state };
  },
  "a manager who leaves": async () => {
    const { guest, id, state, join } = await managed();
    await join();
    return { by: guest, path: `/listings/${id}/leave`, fields: { intent: "leave" }, state };
  },
};

/** Loses the response to the call with this number, counted from 1, of those that change something. @returns their count */
function loseResponse(number: number) {
  let calls = 0;
  const lose: HttpResponseResolver = async (info) => {
    calls += 1;
    if (calls !== number) return passthrough();
    const { url, method, headers } = bypass(info.request);
    const body = method === "DELETE" ? undefined : await info.request.clone().text();
    await fetch(url, { method, headers, body });
    return faults["is cut off in the middle"]!(info);
  };
  for (const service of [`${world.supabase.url}/*`, `${stripe.url}/*`])
    // A handler of every method would have MSW read and copy what only reads, too.
    for (const method of [http.post, http.put, http.patch, http.delete])
      outside.use(method(service, lose));
  return () => calls;
}

const send = ({ by = owner, path, fields }: Form) => by.post(path, fields);
/** Where a response leads to, whichever row it is about. */
const toPlace = ({ location }: Answer) =>
  location?.startsWith(stripe.url) ? "checkout" : location?.replace(/[0-9a-f-]{36}|\d+/g, "N");

describe.each(Object.entries(forms))("%s", (name, prepare) => {
  it("can be sent again after any response was lost", async () => {
    const undisturbed = await prepare();
    const countCalls = loseResponse(0);
    const first = await send(undisturbed);
    const calls = countCalls();
    recover();
    expect(first.status, JSON.stringify(first.errors)).toBe(303);
    const expected = await undisturbed.state();
    expect(calls).toBeGreaterThan(0);

    const numbers = Array.from({ length: calls }, (_, before) => before + 1);
    for (const number of everyThird(numbers, (Object.keys(forms).indexOf(name) % 3) as 0 | 1 | 2)) {
      // At night there are more than one account can do in its time.
      await world.sql("delete from public.rate_limits");
      const form = await prepare();
      loseResponse(number);
      const lost = await send(form);
      expect(lost.status, JSON.stringify(lost.errors)).toBeOneOf([303, 503]);
      recover();
      const again = await send(form);
      expect(again.status, `call ${number}: ${again.body.slice(0, 300)}`).toBe(303);
      expect(toPlace(again), `call ${number}`).toBe(toPlace(first));
      expect(await form.state(), `call ${number}`).toEqual(expected);
    }
  });
});

describe("a form that is sent twice at once", () => {
  it.each([
    "the state and notes of a lead",
    "a sponsorship with other words",
    "an edited job",
    "an edited listing",
  ])("is saved once, and no conflict: %s", async (name) => {
    const form = await forms[name]!();
    const [first, second] = await Promise.all([send(form), send(form)]);
    expect([first.status, second.status]).toEqual([303, 303]);
    expect(JSON.stringify(await form.state())).toContain('"version":2');
  });
});

describe("what two people changed differently", () => {
  const conflicts: Record<string, () => Promise<[Form, Form["fields"]]>> = {
    "a lead": async () => {
      const form = await lead();
      return [form, { ...form.fields, notes: "Something else." }];
    },
    "a sponsorship": async () => {
      const form = await savedOrder({ promo_text: "New words." });
      return [form, { ...form.fields, promo_text: "Other words." }];
    },
    "what a paid sponsorship says": async () => {
      const form = await paidOrder({ intent: "save", promo_text: "New words." });
      return [form, { ...form.fields, promo_text: "Other words." }];
    },
    "a job": async () => {
      const form = await job({ intent: "later" });
      return [form, { ...form.fields, title: "Day baker" }];
    },
    "a listing": async () => {
      const form = await listing({});
      return [form, { ...form.fields, name: "Renamed differently" }];
    },
  };

  it.each(Object.entries(conflicts))("stays a conflict: %s", async (_, prepare) => {
    const [form, fields] = await prepare();
    expect((await send(form)).status).toBe(303);
    const saved = await form.state();
    expect((await send({ ...form, fields })).status).toBe(409);
    expect(await form.state()).toEqual(saved);
  });
});
