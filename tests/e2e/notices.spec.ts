import {
  checkPage,
  demo,
  expect,
  mobileApp,
  newEmail,
  openMail,
  signIn,
  signOut,
  signUp,
  test,
} from "./journey";

test("an owner hears of an approval by e-mail, stops such e-mails by one click, and chooses them again", async ({
  page,
}, { project }) => {
  const email = newEmail();
  const name = `Café ${project.name} ${Date.now()}`;
  await signUp(page, email, "Noor Haddad");
  await page.goto("/account/notices");
  const approvals = page.getByLabel("One of your listings was approved");
  await expect(approvals).toBeChecked();
  await expect(page.getByLabel("Somebody wrote to one of your listings")).not.toBeChecked();
  await checkPage(page);

  const { id, ask } = await mobileApp(email);
  const place = {
    address: "1 Main St",
    rawaddress: "1 Main St",
    city: "Salem",
    state: "OR",
    third_party_auth: true,
    certified_queer: true,
  };
  await ask("places", { name, category: 1, description: "Come in.", owner: id, ...place });
  await signOut(page);
  await signIn(page, demo.admin);
  await page.goto("/admin/new");
  await page.getByRole("row").filter({ hasText: name }).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByRole("button", { name: "Approve 1 listing" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Approved 1");
  await signOut(page);

  await openMail(page, email, "Your listing was approved");
  const stop = (await page.locator("pre").innerText()).match(/To stop these e-mails: (\S+)/)![1]!;
  await signIn(page, email);

  // Mail programs open every link by themselves.
  await page.goto(stop);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Stop these e-mails");
  await checkPage(page);
  await page.goto("/account/notices");
  await expect(approvals).toBeChecked();

  // Their own button sends this, without a session and from no page of ours.
  const sent = await fetch(stop, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  });
  expect(sent.status).toBe(204);
  await page.reload();
  await expect(approvals).not.toBeChecked();
  await approvals.check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Your choice is saved.")).toBeVisible();
  await expect(approvals).toBeChecked();

  await page.goto(stop);
  await page.getByRole("button", { name: "Stop these e-mails" }).click();
  await expect(page.getByText("Done: you won’t get these e-mails any more.")).toBeVisible();
});
