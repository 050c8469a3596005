import { randomUUID } from "node:crypto";

import {
  checkPage,
  demo,
  expect,
  fillListing,
  newEmail,
  openMailedLink,
  PASSWORD,
  signIn,
  signOut,
  signUp,
  test,
} from "./journey";

/** Calls the data API as somebody of the demo data. */
async function as(email: string, path: string, body: unknown): Promise<unknown> {
  const { E2E_SUPABASE_URL: url, E2E_PUBLISHABLE_KEY: apikey } = process.env as Record<
    string,
    string
  >;
  const headers = { apikey: apikey!, "Content-Type": "application/json" };
  const session = await fetch(`${url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers,
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const { access_token: token } = (await session.json()) as { access_token: string };
  const answer = await fetch(`${url}/rest/v1/${path}`, {
    method: "POST",
    headers: { ...headers, Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return answer.status === 200 ? answer.json() : null;
}

test("an owner invites somebody new, who edits the listing and reads its messages, can't remove or buy, and goes when they are told to", async ({
  page,
}, { project }) => {
  const [owner, helper] = [newEmail("owner"), newEmail("helper")];
  const name = `Two Pairs of Hands ${project.name} ${Date.now()}`;

  await signUp(page, owner, "Olive Owner");
  await page.goto("/listings/new");
  await fillListing(page, name);
  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  await page.goto("/listings");
  await page.getByRole("link", { name: `Edit listing: ${name}` }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
  const id = Number(new URL(page.url()).pathname.split("/").at(-1));
  const approved = await as(demo.admin, "rpc/decide_listings", {
    batch: randomUUID(),
    action: "approve",
    items: [{ id, version: 1 }],
  });
  expect(approved).toMatchObject({ counts: { done: 1 } });

  // Inviting: refused first, and what was typed stays.
  await page.getByRole("link", { name: `See or invite people: ${name}` }).click();
  await expect(page.getByText("Nobody but its owner manages it.")).toBeVisible();
  await checkPage(page);
  await page.getByLabel("Email address").fill("no address");
  await page.getByRole("button", { name: "Send the invitation" }).click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await expect(page.getByLabel("Email address")).toHaveValue("no address");
  await checkPage(page);
  await page.getByLabel("Email address").fill(helper);
  await page.getByRole("button", { name: "Send the invitation" }).click();
  await expect(page.getByText(`We’re writing to ${helper}.`)).toBeVisible();
  await expect(page.getByRole("table", { name: "Invitations without an answer" })).toContainText(
    helper,
  );
  await checkPage(page);

  // The owner opens it themselves: it is somebody else's.
  await openMailedLink(page, helper);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    "This invitation is for somebody else",
  );
  await expect(page.getByText(name)).toHaveCount(0);
  await checkPage(page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sign in to your account");

  // Somebody new opens it, signs up, and comes back to it.
  await openMailedLink(page, helper);
  await expect(page).toHaveURL(/\/invitation$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("An invitation");
  await checkPage(page);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Email", { exact: true }).fill(helper);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByLabel("Full name").fill("Mo Helper");
  await page.getByRole("button", { name: "Sign Up" }).click();
  await expect(page.getByText("we’ve sent you an e-mail")).toBeVisible();
  await openMailedLink(page, helper);
  await page.getByRole("button", { name: "Yes, this is my address" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Will you help with “${name}”?`);
  await checkPage(page);
  await page.getByRole("button", { name: "Yes, I’ll help" }).click();
  await expect(page.getByText(`Thank you. You manage “${name}” now.`)).toBeVisible();

  // They find it, edit it, and are offered nothing that is its owner's.
  const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });
  await expect(card).toContainText("You manage this for its owner");
  await expect(page.getByText("Upgrade")).toHaveCount(0);
  await checkPage(page);
  await card.getByRole("link", { name: `Edit listing: ${name}` }).click();
  await expect(
    page.getByRole("heading", { name: "You manage this listing for its owner" }),
  ).toBeVisible();
  await expect(page.getByText("Ask to remove it")).toHaveCount(0);
  await checkPage(page);
  await page.getByLabel("About/Bio").fill("A place for everyone, looked after by two.");
  await page.getByRole("button", { name: "Save Updates" }).click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  await page.goto("/upgrade");
  await expect(page.getByText(name)).toHaveCount(0);
  await page.goto(`/listings/${id}/archive`);
  await expect(page).toHaveURL(new RegExp(`/listings/${id}/visibility$`));

  await as(demo.newcomer, "leads", {
    place_id: id,
    requester_name: "Wren",
    requester_email: "wren@example.test",
    message: "Are dogs welcome?",
  });
  await page.goto("/leads");
  await page.getByRole("link", { name: /^Open: from Wren/ }).click();
  await page.getByLabel("Replied").check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The lead from Wren is saved.")).toBeVisible();
  await signOut(page);

  // They could leave by themselves; they are asked first.
  await signIn(page, helper);
  await page.goto(`/listings/${id}/leave`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Stop managing “${name}”?`);
  await checkPage(page);
  await signOut(page);

  // The owner removes them, and they have nothing of it any more.
  await signIn(page, owner);
  await page.goto(`/listings/${id}/managers`);
  await expect(page.getByRole("table", { name: "Who manages it" })).toContainText(helper);
  await checkPage(page);
  await page.getByRole("link", { name: "Remove: Mo Helper" }).click();
  await checkPage(page);
  await page.getByRole("button", { name: "Remove Mo Helper" }).click();
  await expect(
    page.getByText("They can’t open this listing or its messages any more."),
  ).toBeVisible();
  await signOut(page);
  await signIn(page, helper);
  await page.goto("/listings");
  await expect(
    page.getByText("It looks like you don’t have any business listings yet."),
  ).toBeVisible();
  await page.goto(`/listings/${id}`);
  await expect(page.getByText("You do not have permission to edit this listing.")).toBeVisible();
});
