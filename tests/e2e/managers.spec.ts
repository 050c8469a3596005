import {
  addListings,
  approveListing,
  createAccount,
  dataApi,
  demo,
  newEmail,
  PASSWORD,
} from "./data-api";
import { atNight, checkPage, expect, openEmailedLink, signIn, signOut, test } from "./journey";

test(
  "an owner invites a new user, who edits the listing and reads its leads but cannot remove or buy anything, until the owner removes them",
  atNight("on"),
  async ({ page }, { project }) => {
    const helper = newEmail("helper");
    const name = `Two Pairs of Hands ${project.name} ${Date.now()}`;
    const owner = await createAccount("Olive Owner");
    const [id] = (await addListings(owner, [name])) as [number];
    await approveListing(id);
    await signIn(page, owner);

    // An invitation without an address is rejected, and retains what was typed.
    await page.goto(`/listings/${id}`);
    await page.getByRole("link", { name: `See managers: ${name}` }).click();
    await expect(page.getByText("No managers yet.")).toBeVisible();
    await checkPage(page, "managers, none yet");
    await page.getByLabel("Email address").fill("no address");
    await page.getByRole("button", { name: "Send invitation" }).click();
    await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
    await expect(page.getByLabel("Email address")).toHaveValue("no address");
    await checkPage(page, "managers, invitation rejected");
    await page.getByLabel("Email address").fill(helper);
    await page.getByRole("button", { name: "Send invitation" }).click();
    await expect(page.getByText(`Invitation sent to ${helper}.`)).toBeVisible();
    await expect(page.getByRole("table", { name: "Pending invitations" })).toContainText(helper);
    await expect(page.getByLabel("Email address")).toHaveValue("");
    await checkPage(page, "managers, invitation sent");

    // The owner opens the link: the invitation is for someone else.
    await openEmailedLink(page, helper);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      "This invitation isn’t for this account",
    );
    await expect(page.getByText(name)).toHaveCount(0);
    await checkPage(page, "invitation, for another account");
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sign in to your account");

    // The invited user opens it, signs up, and returns to it.
    await openEmailedLink(page, helper);
    await expect(page).toHaveURL(/\/invitation$/);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("An invitation");
    await checkPage(page, "invitation, signed out");
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("Email", { exact: true }).fill(helper);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByLabel("Full name").fill("Mo Helper");
    await page.getByRole("button", { name: "Sign Up" }).click();
    await expect(page.getByText("Check your email")).toBeVisible();
    // After the invitation, which came to the same address.
    await openEmailedLink(page, helper, "confirm your email address");
    await page.getByRole("button", { name: "Confirm my email" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      `You’ve been invited to manage “${name}”`,
    );
    await checkPage(page, "invitation, to be accepted");
    await page.getByRole("button", { name: "Accept" }).click();
    await expect(page.getByText(`Thank you! You now manage “${name}”.`)).toBeVisible();

    // They can edit the listing, and are not offered what only its owner may do.
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });
    await expect(card).toContainText("You manage this for its owner");
    await expect(page.getByText("Upgrade")).toHaveCount(0);
    await checkPage(page, "listings, with one managed for its owner");
    await card.getByRole("link", { name: `Edit listing: ${name}` }).click();
    await expect(
      page.getByRole("heading", { name: "You manage this listing for its owner" }),
    ).toBeVisible();
    await expect(page.getByText("Request removal")).toHaveCount(0);
    await checkPage(page, "listing form of a manager");
    await page.getByLabel("About/Bio").fill("A place for everyone, looked after by two.");
    await page.getByRole("button", { name: "Save Updates" }).click();
    await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
    await page.goto("/upgrade");
    await expect(page.getByText(name)).toHaveCount(0);
    await page.goto(`/listings/${id}/archive`);
    await expect(page).toHaveURL(new RegExp(`/listings/${id}/visibility$`));

    await (
      await dataApi(demo.newcomer)
    ).add("leads", {
      place_id: id,
      requester_name: "Wren",
      requester_email: "wren@example.test",
      message: "Are dogs welcome?",
    });
    await page.goto("/leads");
    await page.getByRole("link", { name: /^Wren/ }).click();
    await page.getByLabel("Replied").check();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Saved.", { exact: true })).toBeVisible();

    // A page asks before they leave by themselves.
    await page.goto(`/listings/${id}/leave`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Stop managing “${name}”?`);
    await checkPage(page, "managed listing, to be left");
    await signOut(page);

    // The owner removes them, and they lose access.
    await signIn(page, owner);
    await page.goto(`/listings/${id}/managers`);
    await expect(page.getByRole("table", { name: "Managers" })).toContainText(helper);
    await checkPage(page, "managers, with one");
    await page.getByRole("link", { name: "Remove: Mo Helper" }).click();
    await checkPage(page, "manager, to be removed");
    await page.getByRole("button", { name: "Remove Mo Helper" }).click();
    await expect(
      page.getByText(
        "Manager removed. They no longer have access to this listing or its messages.",
      ),
    ).toBeVisible();
    await signOut(page);
    await signIn(page, helper);
    await page.goto("/listings");
    await expect(
      page.getByText("It looks like you don’t have any business listings yet."),
    ).toBeVisible();
    await page.goto(`/listings/${id}`);
    await expect(page.getByText("You do not have permission to edit this listing.")).toBeVisible();
  },
);
