/** Inviting and accepting while the database fails: told, and never done twice. */
import { beforeEach, describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import { everyThird } from "../support/nightly";
import { createWorld } from "../support/world";

import { breakDown, faultNames, faults, recover } from "./outage";

const world = await createWorld();
const rpc = `${world.supabase.url}/rest/v1/rpc`;
const owner = await world.owner();
const guest = await world.owner();
const listing = await world.listing({ owner });
const path = `/listings/${listing.id}/managers`;
const { createInvitationToken } = await import("~/modules/managers/invitation.server");

const UNKNOWN = /can’t tell whether your form was saved.*you can safely submit it again/;
const given = (answer: Answer) =>
  answer.data as { message: string; submittedForm: { action: string; fields: [string, string][] } };

beforeEach(async () => {
  await world.sql("delete from public.listing_managers");
  await world.sql("delete from public.manager_invitations");
  // One address gets five invitations a day.
  await world.sql("delete from public.rate_limits");
});

async function inviteForm() {
  return {
    intent: "invite",
    submission_id: (await owner.page(path)).value("submission_id")!,
    email: guest.email,
  };
}

describe.each(everyThird(faultNames, 0))("when the database %s", (name) => {
  it("while an invitation is sent, the form comes back, and sending it again makes one invitation", async () => {
    const form = await inviteForm();
    breakDown(`${rpc}/invite_manager`, faults[name]!);
    const answer = await owner.post(path, form);
    expect(answer).toHaveStatus(503);
    expect(given(answer).message).toMatch(UNKNOWN);
    recover();
    for (let times = 0; times < 2; times += 1)
      expect(await owner.post(path, given(answer).submittedForm.fields)).toRedirectTo(path);
    expect(await world.sql("select email from public.manager_invitations")).toEqual([
      { email: guest.email },
    ]);
  });

  it("while an invitation is accepted, accepting can be repeated", async () => {
    const form = await inviteForm();
    await owner.post(path, form);
    const token = createInvitationToken(form.submission_id);
    breakDown(`${rpc}/accept_invitation`, faults[name]!);
    expect(await guest.post("/invitation", { intent: "accept", token })).toHaveStatus(503);
    recover();
    expect(await guest.post("/invitation", { intent: "accept", token })).toRedirectTo("/listings");
    expect(await world.sql("select profile_id from public.listing_managers")).toEqual([
      { profile_id: guest.id },
    ]);
  });

  it("their pages say so in their frame", async () => {
    const token = "A".repeat(43);
    await guest.get(`/invitation?token=${token}`);
    for (const call of ["get_listing_managers", "invitation_offer"])
      breakDown(`${rpc}/${call}`, faults[name]!);
    for (const page of [await owner.page(path), await guest.page("/invitation")]) {
      expect(page).toHaveStatus(503);
      expect(page.body).toContain("Try again");
    }
    recover();
  });
});
