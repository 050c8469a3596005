import { addListings, createAccount, dataApi, demo } from "./data-api";
import { atNight, appUrl, checkPage, expect, scripted, signIn, signOut, test } from "./journey";

let queues = 0;
/** A US state that only the listings of one journey are in, so that a filter finds these alone. */
const ownState = () => {
  queues += 1;
  return `S${process.pid}x${Date.now().toString(36)}x${queues}`;
};

const review = (id: number | undefined, state: string) =>
  `/admin/listings/${id}?state=${state}&sort=name`;

test("an admin approves three listings one after the other, and undoes the last", async ({
  page,
}) => {
  const owner = await createAccount("Sam Rivera");
  const state = ownState();
  const ids = await addListings(owner, ["Review A", "Review B", "Review C"], { state });
  await signIn(page, demo.admin);
  await page.goto(review(ids[0], state));
  await page.getByRole("button", { name: "Start reviewing" }).click();
  await expect(page.getByText("You’re reviewing this listing")).toBeVisible();
  for (const name of ["Review A", "Review B", "Review C"]) {
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
    await page.getByRole("button", { name: "Approve and next" }).click();
    await expect(page.getByText(`Approved: “${name}”.`)).toBeVisible();
  }
  await expect(page.getByText("You’ve reached the end of this queue.")).toBeVisible();
  await checkPage(page, "review, last listing decided");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Undone. “Review C” is as it was before.")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Review C");
  const statuses = await (
    await dataApi(demo.admin)
  ).get(`places?select=status&state=eq.${state}&order=name`);
  expect(statuses.map(({ status }) => status)).toEqual(["published", "published", "new"]);
});

test(
  "an owner sees why changes were requested and why an edit was rejected, which leaves the approved values",
  atNight("on"),
  async ({ page }) => {
    const owner = await createAccount("Sam Rivera");
    const state = ownState();
    const [asked, edited] = await addListings(owner, ["Review Asked", "Review Edited"], { state });
    await (await dataApi(demo.admin)).patch(`places?id=eq.${edited}`, { status: "published" });
    await (
      await dataApi(owner)
    ).patch(`places?id=eq.${edited}`, { description: "We bake cakes for everybody, each day." });

    await signIn(page, demo.admin);
    await page.goto(review(asked, state));
    await page.locator("summary", { hasText: "Request changes" }).click();
    await page.getByLabel("Reason").selectOption({ index: 1 });
    await page.getByLabel("In your own words").fill("Which house is it?");
    await page.getByRole("button", { name: "Send request" }).click();
    await expect(page.getByText("Changes requested: “Review Asked”.")).toBeVisible();

    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Review Edited");
    await expect(page.locator("del").first()).toContainText("bread");
    await expect(page.locator("ins").first()).toContainText("cakes");
    await page.locator("summary", { hasText: "Reject the edit" }).click();
    await page.getByLabel("Note to the owner").fill("That is another place.");
    await page.getByRole("button", { name: "Reject the edit" }).click();
    await expect(page.getByText("Edit rejected: “Review Edited”.")).toBeVisible();
    await signOut(page);

    await signIn(page, owner);
    await page.goto("/listings");
    await expect(page.getByText("Which house is it?").first()).toBeVisible();
    await expect(page.getByText("That is another place.").first()).toBeVisible();
    await checkPage(page, "listings, with requested changes and a rejected edit");
    await page.getByRole("link", { name: "Edit listing: Review Edited" }).click();
    await expect(page.getByLabel("About/Bio")).toHaveValue(
      "We bake bread for everybody, each day.",
    );
    await page.getByText("Your changes", { exact: true }).click();
    await expect(page.getByText("We bake cakes for everybody, each day.")).toBeVisible();
    await checkPage(page, "listing form, with a rejected edit");
    await page.getByRole("button", { name: "Discard these changes" }).click();
    await expect(page.getByText("The changes are discarded.")).toBeVisible();
    await expect(page.getByText("Your changes weren’t approved")).toBeHidden();
  },
);

test(
  "when two admins review the same queue, each sees what the other does, and no one decides on unseen changes",
  atNight("off"),
  async ({ page, browser }) => {
    const owner = await createAccount("Sam Rivera");
    const colleague = await createAccount("Kai Colleague", { admin: true });
    const state = ownState();
    const ids = await addListings(owner, ["Both A", "Both B", "Both C"], { state });
    const theirs = await browser.newContext({ javaScriptEnabled: scripted(), baseURL: appUrl() });
    const other = await theirs.newPage();
    await signIn(other, colleague);
    await other.goto(review(ids[1], state));
    await other.getByRole("button", { name: "Start reviewing" }).click();
    await expect(other.getByText("You’re reviewing this listing")).toBeVisible();

    // A listing under review by the other admin is skipped.
    await signIn(page, demo.admin);
    await page.goto(review(ids[0], state));
    await page.getByRole("button", { name: "Approve and next" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Both C");
    await page.goto(review(ids[1], state));
    await expect(page.getByText("Kai Colleague is reviewing this listing")).toBeVisible();
    await checkPage(page, "review, locked by another admin");

    // Its owner saves before both decide: nothing unseen is published, and the later admin sees why.
    await (await dataApi(owner)).patch(`places?id=eq.${ids[1]}`, { name: "Both B, fixed" });
    await page.getByRole("button", { name: "Approve and next" }).click();
    await expect(page.getByText("This listing has changed since you opened it.")).toBeVisible();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Both B, fixed");
    await checkPage(page, "review, changed since it was opened");
    await page.getByRole("button", { name: "Approve and next" }).click();
    await expect(page.getByText("Approved: “Both B, fixed”.")).toBeVisible();
    await other.getByRole("button", { name: "Flag" }).click();
    await expect(other.getByText("This listing has changed since you opened it.")).toBeVisible();
    await expect(other.locator(".badge").getByText("Published", { exact: true })).toBeVisible();
    await theirs.close();
  },
);

test("on a phone, what an edit changed comes first, and the decision stays in view", async ({
  page,
}) => {
  const owner = await createAccount("Sam Rivera");
  const [id] = await addListings(owner, ["On a phone"], { state: ownState() });
  await page.setViewportSize({ width: 360, height: 640 });
  await signIn(page, demo.admin);
  await page.goto(`/admin/listings/${id}?view=new`);
  const approve = page.getByRole("button", { name: "Approve and next" });
  await expect(page.getByRole("heading", { name: "Listing", exact: true })).toBeInViewport();
  await expect(approve).toBeInViewport({ ratio: 1 });
  await page.getByRole("link", { name: "More decisions" }).click();
  await expect(page.getByRole("button", { name: "Archive" })).toBeInViewport();
});

test(
  "the second click of a double click approves no listing that came meanwhile",
  atNight("off"),
  async ({ page }) => {
    test.skip(!scripted(), "Without script, the next listing is another document.");
    const owner = await createAccount("Sam Rivera");
    const state = ownState();
    const ids = await addListings(owner, ["Review A", "Review B", "Review C"], { state });
    await signIn(page, demo.admin);
    await page.goto(review(ids[0], state));
    const approve = page.getByRole("button", { name: "Approve and next" });
    await approve.click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Review B");
    await expect(approve).toBeEnabled();
    // Firefox counts clicks itself, by their time, and the next listing may take longer than that.
    await approve.dispatchEvent("click", { detail: 2 });
    await page.getByRole("link", { name: "Next in queue" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Review C");
    const statuses = await (
      await dataApi(demo.admin)
    ).get(`places?select=status&state=eq.${state}&order=name`);
    expect(statuses.map(({ status }) => status)).toEqual(["published", "new", "new"]);
  },
);

test("a tap that was meant for one listing activates nothing of the next listing, or of a newer version", async ({
  page,
}) => {
  test.skip(!scripted(), "Without script, the next listing is another document.");
  const owner = await createAccount("Sam Rivera");
  const state = ownState();
  const ids = await addListings(owner, ["Tap A", "Tap B", "Tap C"], { state });
  // This one can't be approved: "Skip" is where the next one has "Approve and next".
  await (await dataApi(demo.admin)).patch(`places?id=eq.${ids[0]}`, { status: "published" });
  await page.setViewportSize({ width: 360, height: 640 });
  await signIn(page, demo.admin);
  await page.goto(review(ids[0], state));
  const approve = page.getByRole("button", { name: "Approve and next" });
  /** What a tap on the button presses: as soon as there is an answer, and now. */
  const found = () => page.evaluate("[window.foundFirst, window.findPressed()]");
  const watch = (pressed = approve) =>
    pressed.evaluate((button) => {
      const { x, y, width, height } = button.getBoundingClientRect();
      const findPressed = () =>
        document.elementFromPoint(x + width / 2, y + height / 2)?.closest("button")?.innerText;
      const getHeading = () => document.querySelector("h1")!.innerText;
      const heading = getHeading();
      Object.assign(window, { findPressed });
      const observer = new MutationObserver(() => {
        if (!document.querySelector(".flash, .error-summary") && getHeading() === heading) return;
        observer.disconnect();
        Object.assign(window, { foundFirst: findPressed() ?? "nothing" });
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });

  const skip = page.getByRole("button", { name: "Skip" });
  await watch(skip);
  await skip.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Tap B");
  await expect.poll(found).toEqual(["nothing", "Approve and next"]);

  await watch();
  await approve.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Tap C");
  await expect.poll(found).toEqual(["nothing", "Approve and next"]);

  await page.goto(review(ids[2], state));
  await (await dataApi(owner)).patch(`places?id=eq.${ids[2]}`, { name: "Tap C, fixed" });
  await watch();
  await approve.click();
  await expect(page.getByText("This listing has changed since you opened it.")).toBeVisible();
  await expect.poll(found).toEqual(["nothing", "Approve and next"]);
});

test("a key that is pressed again doesn't approve a newer version that has just appeared", async ({
  page,
}) => {
  test.skip(!scripted(), "Keys need script.");
  const owner = await createAccount("Sam Rivera");
  const [id] = await addListings(owner, ["Key A"], { state: ownState() });
  await signIn(page, demo.admin);
  await page.goto(`/admin/listings/${id}`);
  await expect(page.getByText("Keyboard shortcuts")).toBeVisible();
  await (await dataApi(owner)).patch(`places?id=eq.${id}`, { description: "Read by no one yet." });
  await page.evaluate(() => {
    const readVersion = () =>
      document.querySelector<HTMLInputElement>("#decide [name=version]")!.value;
    const seen = readVersion();
    new MutationObserver((_, observer) => {
      if (readVersion() === seen) return;
      observer.disconnect();
      const press = new KeyboardEvent("keydown", { key: "a", bubbles: true });
      setTimeout(() => document.body.dispatchEvent(press), 200);
    }).observe(document.body, { attributes: true, childList: true, subtree: true });
  });
  let sent = 0;
  page.on("request", (request) => (sent += request.method() === "POST" ? 1 : 0));
  await page.waitForTimeout(700);
  await page.keyboard.press("a");
  await expect(page.getByText("This listing has changed since you opened it.")).toBeVisible();
  await page.waitForTimeout(1_000);
  expect(sent).toBe(1);
  // Keys do nothing while the page waits for an answer.
  await expect
    .poll(async () => {
      if (sent === 1) await page.keyboard.press("a");
      return sent;
    })
    .toBe(2);
  await expect(page.getByText("Approved: “Key A”.")).toBeVisible();
});

test("single keys review the queue, not while typing, and can be switched off", async ({
  page,
}) => {
  test.skip(
    !scripted(),
    "Keys need script; every one of them presses a button or a link of the page.",
  );
  const owner = await createAccount("Sam Rivera");
  const state = ownState();
  const ids = await addListings(owner, ["Keys A", "Keys B", "Keys C"], { state });
  await signIn(page, demo.admin);
  await page.clock.install();
  await page.goto(review(ids[0], state));
  const heading = page.getByRole("heading", { level: 1 });
  /** Presses a key on this listing, which has to be visible for 0.7 s before a key counts. */
  const press = async (key: string, listing: string) => {
    await expect(heading).toHaveText(listing);
    await expect(page.getByText("Keyboard shortcuts")).toBeVisible();
    await page.clock.runFor(5_000);
    await page.keyboard.press(key);
  };

  await press("?", "Keys A");
  await expect(page.getByText("Skip to the next one you can approve")).toBeVisible();
  await checkPage(page, "review, with the keys explained");
  await press("j", "Keys A");
  await press("k", "Keys B");
  await press("Control+a", "Keys A");
  await press("c", "Keys A");
  await expect(page.locator("summary", { hasText: "Request changes" })).toBeFocused();
  await page.getByLabel("In your own words").fill("");
  await page.getByLabel("In your own words").pressSequentially("ajkxcr?");
  await expect(page.getByLabel("In your own words")).toHaveValue("ajkxcr?");
  await page.locator("summary", { hasText: "Request changes" }).focus();
  await press("x", "Keys A");
  await press("a", "Keys B");
  await expect(page.getByText("Approved: “Keys B”.")).toBeVisible();
  await expect(heading).toHaveText("Keys C");

  // Leaving what was typed asks first, and so loads a document, in which the panel is closed; but not before the
  // code that asks has arrived.
  const openPanel = () =>
    page.locator("#keys").evaluate((panel: HTMLDetailsElement) => void (panel.open = true));
  await openPanel();
  await page.getByRole("button", { name: "Turn shortcuts off" }).click();
  await page.reload();
  await press("a", "Keys C");
  await expect(heading).toHaveText("Keys C");
  await openPanel();
  await page.getByRole("button", { name: "Turn shortcuts on" }).click();
  await press("a", "Keys C");
  await expect(page.getByText("Approved: “Keys C”.")).toBeVisible();
});

test(
  "on paper, a review has what changed, and nothing that only works on a screen",
  atNight("off"),
  async ({ page, browserName }) => {
    test.skip(browserName !== "chromium", "The others can’t be made to show how they would print.");
    await signIn(page, demo.admin);
    await page.goto("/admin/pending");
    await page.getByRole("link", { name: "Review one by one" }).click();
    await expect(page.getByRole("link", { name: "Next in queue" })).toBeVisible();
    await page.emulateMedia({ media: "print" });
    await expect(page.getByRole("heading", { name: "What changed" })).toBeVisible();
    for (const text of [
      "Next in queue",
      "Edit listing",
      "Keyboard shortcuts",
      "reviewing this listing",
    ])
      await expect(page.getByText(text).filter({ visible: true }), text).toHaveCount(0);
    await expect(page.getByRole("button")).toHaveCount(0);
  },
);
