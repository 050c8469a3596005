import type { Page } from "playwright/test";

import { createAccount, demo, readPublicly } from "./data-api";
import { atNight, checkPage, expect, scripted, signIn, test } from "./journey";

/** What the mobile app shows of a job. */
const publicJobs = (title: string) =>
  readPublicly(`public_jobs?select=company_name&title=eq.${encodeURIComponent(title)}`);

const rowOf = (page: Page, title: string) =>
  page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: title, exact: true }) });

test(
  "an owner posts a job, pays, unpublishes, renews, and fills it; an admin gives it another owner",
  atNight("on"),
  async ({ page }, { project }) => {
    const title = `Pastry chef “très bon” ${project.name} ${Date.now()}`;
    await signIn(page, await createAccount("Zoë O’Hara"));
    await page.goto("/jobs");
    await expect(
      page.getByRole("heading", { name: "Hire someone who’ll feel at home." }),
    ).toBeVisible();
    await checkPage(page, "jobs, none yet");
    await page.getByRole("link", { name: "Add New Job" }).click();
    await expect(
      page.getByText("A job costs $5 instead of $49 and is live for 45 days."),
    ).toBeVisible();

    // Rejected: everything typed is retained, and each reason links to its field.
    await page.getByLabel("Job Title").fill(title);
    await page.getByLabel("The company is ally-owned").check();
    await page.getByRole("button", { name: "Save and pay", exact: true }).last().click();
    await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
    await expect(page).toHaveTitle(/^Error: /);
    await expect(page.getByLabel("Job Title")).toHaveValue(title);
    for (const reason of [
      "Choose at least one location.",
      "Describe how your company supports queer and trans people.",
      "Enter the name of the company, or choose a business above.",
    ]) {
      await expect(page.getByRole("link", { name: reason })).toBeVisible();
    }
    await checkPage(page, "job form, rejected");
    await page.getByRole("link", { name: "Choose at least one location." }).click();
    await expect(page.getByLabel("Anywhere")).toBeInViewport();

    await page.getByLabel("Category").selectOption({ label: "Food and Hospitality" });
    await page.getByLabel("Description").fill("Laminate before sunrise.");
    await page.getByLabel("Full time").check();
    if (scripted()) {
      await page.getByLabel("Search locations").fill("oreg");
      await expect(page.getByLabel("California")).toBeHidden();
    } else {
      await page.getByText("United States", { exact: true }).click();
    }
    await page.getByLabel("Oregon").check();
    if (scripted()) {
      // What is chosen is still shown, and is not what was found.
      await page.getByLabel("Search locations").fill("nowhere");
      await expect(page.getByRole("status").getByText("Nothing found.")).toBeVisible();
      await expect(page.getByLabel("Oregon")).toBeVisible();
      await page.getByLabel("Search locations").fill("oreg");
      await expect(page.getByRole("status").getByText("1 found.")).toBeVisible();
    }
    await page.getByLabel("Company Name").fill("Fern & Flour");
    await page.getByLabel("Company Bio").fill("A bakery.");
    await page.getByLabel("The company is ally-owned").uncheck();
    if (scripted()) await expect(page.getByLabel("How does your company support")).toBeHidden();
    await page.getByRole("button", { name: "Save and pay", exact: true }).last().click();

    // Leaving before paying saves the job, and the list offers to pay for it.
    await expect(page.getByRole("heading", { level: 1, name: "Pay" })).toBeVisible();
    await page.getByRole("link", { name: "Back without paying" }).click();
    await expect(page.getByText("You left before paying.")).toBeVisible();
    await expect(rowOf(page, title)).toContainText("Pending payment");
    expect(await publicJobs(title)).toEqual([]);
    await checkPage(page, "jobs, payment left");
    await page.getByRole("button", { name: `Pay to activate listing: ${title}` }).click();
    await page.getByRole("button", { name: "Pay $5" }).click();
    await expect(page.getByText("Thank you!")).toBeVisible();
    await expect(rowOf(page, title)).toContainText("Published");
    expect(await publicJobs(title)).toEqual([{ company_name: "Fern & Flour" }]);
    await checkPage(page, "jobs, paid");

    await page.getByRole("button", { name: `Unpublish listing: ${title}` }).click();
    await expect(rowOf(page, title)).toContainText("Unpublished");
    expect(await publicJobs(title)).toEqual([]);
    await page.getByRole("button", { name: `Republish listing: ${title}` }).click();
    await expect(page.getByText("is published again.")).toBeVisible();

    await page.getByRole("link", { name: `More: ${title}` }).click();
    await expect(page.getByText("This job is live until")).toBeVisible();
    await page.getByRole("link", { name: "Preview" }).click();
    await expect(page.getByText("Your job is live. This is what people see.")).toBeVisible();
    await expect(page.getByRole("article")).toContainText("Laminate before sunrise.");

    // More days, and then the job is filled.
    await page.getByRole("link", { name: "Job options" }).click();
    await page.getByRole("button", { name: "Renew listing" }).click();
    await page.getByRole("button", { name: "Pay $5" }).click();
    await expect(page.getByText("Thank you!")).toBeVisible();
    await page.getByRole("link", { name: `More: ${title}` }).click();
    await page.getByRole("button", { name: "Mark as filled" }).click();
    await expect(rowOf(page, title)).toContainText("Filled");
    expect(await publicJobs(title)).toEqual([]);
    await page.getByRole("link", { name: `More: ${title}` }).click();
    await page.getByRole("link", { name: "Duplicate" }).click();
    await expect(page.getByLabel("Job Title")).toHaveValue(title);
    await expect(page.getByLabel("Oregon")).toBeChecked();

    await signIn(page, demo.admin);
    await page.goto("/admin/jobs");
    await page.getByLabel("Job title or company").fill(title);
    await page.getByRole("button", { name: "Show" }).click();
    await expect(rowOf(page, title)).toContainText("Zoë O’Hara");
    await page.getByRole("link", { name: `Edit: ${title}` }).click();
    await expect(page.getByRole("heading", { name: "Admin Only" })).toBeVisible();
    await page.getByLabel("Job owner: search by name or email").fill("sam okafor");
    await page.getByRole("button", { name: "Find person" }).click();
    await expect(page.getByText("1 found.")).toBeVisible();
    await expect(page.getByLabel("Job Title")).toHaveValue(title);
    await page.getByRole("radio", { name: /^Sam Okafor/ }).check();
    await checkPage(page, "job form of an admin, with a person found");
    await page.getByRole("button", { name: "Save Updates" }).last().click();
    await expect(page.getByText("Job saved.")).toBeVisible();
    await page.getByLabel("Job title or company").fill(title);
    await page.getByRole("button", { name: "Show" }).click();
    await expect(rowOf(page, title)).toContainText("Sam Okafor-Lindqvist");
  },
);
