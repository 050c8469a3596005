import { addListings, approveListing, createAccount, demo } from "./data-api";
import { atNight, appUrl, checkPage, expect, signIn, submitLogin, test } from "./journey";

test(
  "an owner buys a job, two newsletter dates and an upgrade, cancels the plan, and every page agrees",
  atNight("off"),
  async ({ page, browserName }) => {
    const name = `Copper Fox Café ${test.info().project.name} ${Date.now()}`;
    const email = await createAccount("Ola Nyqvist");
    await signIn(page, email);

    // There is no listing to upgrade yet.
    await page.goto("/upgrade");
    await expect(
      page.getByRole("heading", { name: "First, put your organization on the map" }),
    ).toBeVisible();
    await checkPage(page, "upgrade, without a listing");
    const [listing] = await addListings(email, [name]);
    await approveListing(listing!);

    // A job.
    await page.goto("/jobs/new");
    const title = `Barista ${test.info().project.name} ${Date.now()}`;
    await page.getByLabel("Job Title").fill(title);
    await page.getByLabel("Category").selectOption({ label: "Food and Hospitality" });
    await page.getByLabel("Description").fill("Pour before sunrise.");
    await page.getByLabel("Anywhere").check();
    await page.getByLabel("Business", { exact: true }).selectOption({ label: name });
    await page.getByRole("button", { name: "Save and pay", exact: true }).last().click();
    await page.getByRole("button", { name: "Pay $5" }).click();
    await expect(
      page.getByText("Payment received. Your job listing is live! You paid $5."),
    ).toBeVisible();
    await expect(page.getByRole("row").filter({ hasText: title })).toContainText("Published");

    // Two dates.
    await page.goto("/sponsor/new");
    await page.getByLabel("Business").selectOption({ label: name });
    await page.getByLabel("Promo text").fill("Coffee with a view of the bay.");
    for (const box of [-5, -6]) await page.getByRole("checkbox").nth(box).check();
    await page.getByRole("button", { name: "Save and pay", exact: true }).last().click();
    await page.getByRole("button", { name: "Pay $90.00" }).click();
    await expect(
      page.getByText("Payment received. Your dates are booked! You paid $90."),
    ).toBeVisible();
    const order = page.getByRole("row").filter({ hasText: "$90" });
    for (const shown of ["Paid", "Receipt"]) await expect(order).toContainText(shown);

    // An upgrade: rejected, left, declined, and then paid.
    await page.goto("/listings");
    await expect(page.getByText("Manage billing")).toHaveCount(0);
    await page
      .getByRole("link", { name: /^Upgrade now/ })
      .first()
      .click();
    await page.getByLabel("Which listing do you want to feature?").selectOption({ index: 0 });
    await page.getByRole("button", { name: "Continue to payment" }).click();
    await expect(
      page.getByRole("link", { name: "Please select a listing to be featured!" }),
    ).toBeVisible();
    await expect(page).toHaveTitle(/^Error: /);
    await expect(page.getByRole("radio", { name: "6 months" })).toBeChecked();
    await checkPage(page, "upgrade, rejected");
    await page.getByLabel("Which listing do you want to feature?").selectOption({ index: 1 });
    await page.locator("label", { hasText: "Month to month" }).click();
    await expect(page.getByRole("radio", { name: "Month to month" })).toBeChecked();
    await page.getByRole("button", { name: "Continue to payment" }).click();
    await expect(page.getByText("$29.00").first()).toBeVisible();
    await page.getByRole("link", { name: "Back without paying" }).click();
    await expect(page.getByText("You left before paying.")).toBeVisible();
    await checkPage(page, "upgrade, payment left");
    // The choice is retained.
    await expect(page.getByRole("radio", { name: "Month to month" })).toBeChecked();
    await page.getByRole("button", { name: "Continue to payment" }).click();
    await page
      .getByRole("radio", { name: /declined/i })
      .first()
      .check();
    await page.getByRole("button", { name: "Subscribe" }).click();
    await expect(page.getByText(/declined/i).first()).toBeVisible();
    await page.getByRole("radio").first().check();
    await page.getByRole("button", { name: "Subscribe" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      "Congratulations, you’re a Founding Supporter!",
    );
    await expect(page.getByText(`“${name}” is now Featured.`)).toBeVisible();
    await checkPage(page, "upgrade, paid");

    // Every page shows the upgrade.
    await page.goto("/");
    await expect(page.getByText("You’re a Founding Supporter!")).toBeVisible();
    await page.goto("/upgrade");
    await expect(
      page.getByRole("heading", { name: "All of your listings are Featured" }),
    ).toBeVisible();
    await checkPage(page, "upgrade, all listings Featured");
    await page.goto("/listings");
    await expect(page.getByText("Featured", { exact: true }).first()).toBeVisible();
    await page.getByRole("button", { name: `Manage billing: ${name}` }).click();

    // Canceled in the portal: it stays until the paid time is over, and the page says until when.
    await page.getByRole("link", { name: /^Cancel plan/ }).click();
    await page.getByRole("button", { name: "Cancel plan" }).click();
    await expect(page.getByText(/^Ends on /).first()).toBeVisible();
    const ends = /Ends on (.+?)\./.exec(
      (await page
        .getByText(/^Ends on /)
        .first()
        .textContent())!,
    )![1]!;
    await page.getByRole("link", { name: "Go back" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
    await page.goto("/listings");
    await page.getByLabel(`More: ${name}`).click();
    await expect(page.getByText(/^Featured until /)).toBeVisible();
    const until = /until (.+)$/.exec((await page.getByText(/^Featured until/).textContent())!)![1]!;
    expect(new Date(until.replace(" at ", ", ").replace(/\s/g, " ")).toDateString()).toBe(
      new Date(ends).toDateString(),
    );
    await checkPage(page, "listings, with a canceled plan");

    // Kept after all.
    await page.getByRole("link", { name: `Plan and payments: ${name}` }).click();
    await page.getByRole("button", { name: "Keep plan" }).click();
    await expect(page.getByText(/^Your plan renews on/)).toBeVisible();

    // One newsletter is canceled, which refunds its share.
    await page.goto("/sponsor");
    await page.getByRole("row").filter({ hasText: "$90" }).getByRole("link").first().click();
    await page
      .getByRole("checkbox", { name: /^Cancel / })
      .first()
      .check();
    await page.getByRole("button", { name: "Cancel and refund" }).click();
    await expect(page.getByText("1 newsletter canceled. Your refund is on its way")).toBeVisible();

    // A year of it on paper: only what was bought.
    await page.goto("/account/purchases");
    const table = page.getByRole("table");
    for (const bought of [title, "Newsletter feature", "Featured listing"])
      await expect(table.getByRole("row").filter({ hasText: bought })).toHaveCount(1);
    await expect(table).toContainText("$45 refunded");
    await checkPage(page, "purchases, with a refund");
    // The others can't be made to show how they would print.
    if (browserName !== "chromium") return;
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    // Paper is white.
    const inkOf = (element: Element) => getComputedStyle(element).color;
    expect(await table.evaluate(inkOf)).toBe("rgb(42, 27, 51)");
    for (const hidden of ["navigation", "button"] as const)
      await expect(page.getByRole(hidden)).toHaveCount(0);
    await expect(table.getByRole("row").filter({ hasText: title })).toBeVisible();
  },
);

test(
  "a signed-out visitor signs in on the way to the upgrade, and a forged success URL shows no congratulations",
  atNight("on"),
  async ({ page }) => {
    await page.goto("/upgrade?success=true&value=216");
    await expect(page.getByRole("heading", { name: "Sign in to your account" })).toBeVisible();
    await submitLogin(page, demo.rosa);
    await expect(page).toHaveURL(/\/upgrade/);
    await page.goto("/upgrade?success=true&value=216");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      "Be the first place they see.",
    );
    await expect(page.getByText(/congratulations|confirming/i)).toHaveCount(0);
  },
);

test(
  "the billing page of a Featured listing offers to manage its plan",
  atNight("on"),
  async ({ page }) => {
    await signIn(page, demo.owner);
    await page.goto("/listings");
    const action = await page.locator('form[action$="/billing"]').first().getAttribute("action");
    await page.goto(`${appUrl()}${action!}`);
    await expect(page.getByRole("button", { name: /^Manage billing/ })).toBeVisible();
  },
);
