import type { Page } from "playwright/test";

import {
  checkPage,
  demo,
  expect,
  newEmail,
  scripted,
  signIn,
  signOut,
  signUp,
  test,
} from "./journey";

/** What the app shows of a job: asked as it asks, by nobody in particular. */
async function publicly(title: string): Promise<{ company_name: string }[]> {
  const { E2E_SUPABASE_URL: url, E2E_PUBLISHABLE_KEY: apikey } = process.env as Record<
    string,
    string
  >;
  const response = await fetch(
    `${url}/rest/v1/public_jobs?select=company_name&title=eq.${encodeURIComponent(title)}`,
    { headers: { apikey: apikey! } },
  );
  return (await response.json()) as { company_name: string }[];
}

const rowOf = (page: Page, title: string) =>
  page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: title, exact: true }) });

test("an owner posts a job, pays for it, and sees it to its end; an admin sees whose it is", async ({
  page,
}, { project }) => {
  const title = `Pastry chef “très bon” ${project.name} ${Date.now()}`;
  const email = newEmail();
  await signUp(page, email, "Zoë O’Hara");
  await page.goto("/jobs");
  await expect(page.getByRole("heading", { name: "No jobs yet" })).toBeVisible();
  await checkPage(page);
  await page.getByRole("link", { name: "Add New Job" }).click();
  await expect(
    page.getByText("A job costs $5 instead of $49 and is live for 45 days."),
  ).toBeVisible();
  await checkPage(page);

  // Refused: everything typed stays, and each reason leads to its field.
  await page.getByLabel("Job Title").fill(title);
  await page.getByLabel("The company is ally-owned").check();
  await page.getByRole("button", { name: "Save and go to payment" }).last().click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await expect(page).toHaveTitle(/^Error: /);
  await expect(page.getByLabel("Job Title")).toHaveValue(title);
  for (const reason of [
    "Choose at least one location.",
    "Tell people how the company is safe for queer and trans people.",
    "Enter the name of the company, or choose a business above.",
  ]) {
    await expect(page.getByRole("link", { name: reason })).toBeVisible();
  }
  await checkPage(page);
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
  await page.getByLabel("Company Name").fill("Fern & Flour");
  await page.getByLabel("Company Bio").fill("A bakery.");
  await page.getByLabel("The company is ally-owned").uncheck();
  if (scripted()) await expect(page.getByLabel("How is it safe")).toBeHidden();
  await page.getByRole("button", { name: "Save and go to payment" }).last().click();

  // Left before paying: it is kept, and can be paid for from the list.
  await expect(page.getByRole("heading", { level: 1, name: "Pay" })).toBeVisible();
  await page.getByRole("link", { name: "Back, without paying" }).click();
  await expect(page.getByText("You left before paying.")).toBeVisible();
  await expect(rowOf(page, title)).toContainText("Pending payment");
  expect(await publicly(title)).toEqual([]);
  await checkPage(page);
  await page.getByRole("button", { name: `Pay to activate listing: ${title}` }).click();
  await page.getByRole("button", { name: "Pay $5" }).click();
  await expect(page.getByText("Thank you!")).toBeVisible();
  await expect(rowOf(page, title)).toContainText("Published");
  expect(await publicly(title)).toEqual([{ company_name: "Fern & Flour" }]);
  await checkPage(page);

  await page.getByRole("button", { name: `Unpublish listing: ${title}` }).click();
  await expect(rowOf(page, title)).toContainText("Unpublished");
  expect(await publicly(title)).toEqual([]);
  await page.getByRole("button", { name: `Republish listing: ${title}` }).click();
  await expect(page.getByText("is published again.")).toBeVisible();

  await page.getByRole("link", { name: `More: ${title}` }).click();
  await expect(page.getByText("Everybody sees this job, until")).toBeVisible();
  await checkPage(page);
  await page.getByRole("link", { name: "Preview" }).click();
  await expect(page.getByText("This is what people see of your job now.")).toBeVisible();
  await expect(page.getByRole("article")).toContainText("Laminate before sunrise.");
  await checkPage(page);

  // More days, and then somebody is found.
  await page.getByRole("link", { name: "What you can do with it" }).click();
  await page.getByRole("button", { name: "Renew listing" }).click();
  await page.getByRole("button", { name: "Pay $5" }).click();
  await expect(page.getByText("Thank you!")).toBeVisible();
  await page.getByRole("link", { name: `More: ${title}` }).click();
  await page.getByRole("button", { name: "Mark as filled" }).click();
  await expect(rowOf(page, title)).toContainText("Filled");
  expect(await publicly(title)).toEqual([]);
  await page.getByRole("link", { name: `More: ${title}` }).click();
  await page.getByRole("link", { name: "Duplicate" }).click();
  await expect(page.getByLabel("Job Title")).toHaveValue(title);
  await expect(page.getByLabel("Oregon")).toBeChecked();
  await signOut(page);

  await signIn(page, demo.admin);
  await page.goto("/admin/jobs");
  await page.getByLabel("Job title or company").fill(title);
  await page.getByRole("button", { name: "Show" }).click();
  await expect(rowOf(page, title)).toContainText("Zoë O’Hara");
  await checkPage(page);
  await page.getByRole("link", { name: `Edit: ${title}` }).click();
  await expect(page.getByRole("heading", { name: "Admin Only" })).toBeVisible();
  await page.getByLabel("Job owner: find a person by name or e-mail").fill("sam okafor");
  await page.getByRole("button", { name: "Find person" }).click();
  await expect(page.getByText("Found: 1.")).toBeVisible();
  await expect(page.getByLabel("Job Title")).toHaveValue(title);
  await page.getByRole("radio", { name: /^Sam Okafor/ }).check();
  await checkPage(page);
  await page.getByRole("button", { name: "Save Updates" }).last().click();
  await expect(page.getByText("The job is saved.")).toBeVisible();
  await page.getByLabel("Job title or company").fill(title);
  await page.getByRole("button", { name: "Show" }).click();
  await expect(rowOf(page, title)).toContainText("Sam Okafor-Lindqvist");
});
