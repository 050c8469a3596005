import { addListings, approveListing, createAccount, dataApi, demo } from "./data-api";
import { atNight, expect, signIn, test } from "./journey";

test(
  "an admin archives and reopens feedback, dismisses a report, and resolves one by flagging its listing",
  atNight("on"),
  async ({ page }, { project }) => {
    const mark = `${project.name} ${Date.now()}`;
    const email = await createAccount(`Ash ${mark}`);
    const mobileApp = await dataApi(email);
    for (const text of ["First", "Second", "Third"])
      await mobileApp.add("feedback", {
        userid: mobileApp.id,
        feedback: `${text} ${mark}`,
        os: "iOS 5.0",
      });
    const [id] = (await addListings(email, [`Kiosk ${mark}`])) as [number];
    await approveListing(id);
    for (const reason of ["Closed", "Rude"])
      await mobileApp.add("events", {
        event_name: "report_listing",
        place: id,
        user_id: mobileApp.id,
        data: { reason: `${reason} ${mark}`, info: "I was there." },
      });

    await signIn(page, demo.admin);
    await page.goto("/admin/feedback");
    const row = (text: string) => page.getByRole("row").filter({ hasText: `${text} ${mark}` });
    await expect(row("First")).toContainText("iOS 5.0");
    await row("First").getByRole("button", { name: "Archive/Done" }).click();
    await expect(page.getByText(/^“.*First.*” is archived\.$/)).toBeVisible();
    await expect(row("First")).toHaveCount(0);
    // The bar has buttons once there is something to archive. Enter archives that, and not the first row.
    const archive = page.getByRole("button", { name: "Archive/Done", exact: true });
    await expect(archive).toBeHidden();
    for (const text of ["Second", "Third"]) await row(text).getByRole("checkbox").check();
    await expect(archive).toBeInViewport();
    await row("Second").getByRole("checkbox").press("Enter");
    await expect(page.getByText("2 archived.")).toBeVisible();
    await page.getByRole("link", { name: "Show completed feedback" }).click();
    await expect(row("Third")).toBeVisible();
    await row("First").getByRole("button", { name: "Reopen" }).click();
    await expect(page.getByText(/^“.*First.*” is reopened\.$/)).toBeVisible();
    await page.getByRole("link", { name: "Show open feedback" }).click();
    await expect(row("First")).toBeVisible();

    await page.goto("/admin/reports");
    await expect(row("Closed").getByRole("link", { name: `Kiosk ${mark}` })).toHaveAttribute(
      "href",
      `/listings/${id}?back=%2Fadmin%2Freports`,
    );
    await row("Rude").getByRole("checkbox").check();
    await page.getByLabel("Note").fill("Asked both sides.");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect(page.getByText("1 dismissed.")).toBeVisible();
    // The note was about that report, and not about the next ones.
    await expect(page.getByLabel("Note")).toHaveValue("");
    await row("Closed").getByRole("checkbox").check();
    await page.getByRole("button", { name: "Flag and resolve" }).click();
    await expect(page.getByText("1 resolved. 1 listing flagged.")).toBeVisible();
    await page.getByLabel("Status").selectOption("Dismissed");
    await page.getByRole("button", { name: "Show" }).click();
    await expect(row("Rude")).toContainText("Asked both sides.");
    await expect(row("Rude")).toContainText("Flagged");
  },
);
