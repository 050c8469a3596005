/** The first task of every owner, in the programs that show nothing but text. */
import {
  openTextBrowser,
  missingProgram,
  type TextBrowser,
  type TextBrowserName,
} from "../support/text-browser";

import { createAccount, dataApi, PASSWORD } from "./data-api";
import { appUrl, expect, scripted, test } from "./journey";

let browser: TextBrowser | undefined;
test.afterEach(() => browser?.close());

for (const name of ["lynx", "w3m"] satisfies TextBrowserName[])
  test(`in ${name}, an owner adds a listing, fixes what was rejected, and signs out`, async () => {
    test.skip(scripted(), "They run no script.");
    const reason = missingProgram(name);
    test.skip(reason !== null, reason ?? "");
    const email = await createAccount("Text Sam");
    const api = await dataApi(email);
    browser = await openTextBrowser(name, `${appUrl()}/login`);

    await browser.fill("Email", email);
    await browser.fill("Password", PASSWORD);
    await browser.press("Login");
    await browser.find("Welcome, Text Sam");
    await browser.follow("Add New Listing");
    await browser.find("Our team reviews every listing before it goes live.");

    await browser.fill("Business Name", "Café Text");
    await browser.fill("Contact Email (optional)", "hello@example.test");
    await browser.press("Submit For Approval");
    await browser.find("There is a problem");
    await browser.find("Tell people about your business.");
    await browser.find("Choose a category.");
    await browser.find("Café Text");

    await browser.choose("Category", "Bookstore");
    await browser.write("About/Bio", "A place for everyone.");
    await browser.fill("Address", "1 Castro St, San Francisco, CA 94114");
    await browser.check("Mailing address is the same as the address");
    await browser.check("I agree to have this listing shown publicly");
    await browser.check("I certify that this business");
    // The address is looked up, and the form comes back with it selected and everything else unchanged.
    await browser.press("Submit For Approval");
    await browser.find("We found it and selected it for you.");
    await browser.find("A place for everyone.");
    await browser.press("Submit For Approval");
    await browser.find("Your listing has been submitted for review!");
    expect(
      await api.get(`places?select=name,description,public_email,status&owner=eq.${api.id}`),
    ).toEqual([
      {
        name: "Café Text",
        description: "A place for everyone.",
        public_email: "hello@example.test",
        status: "new",
      },
    ]);

    await browser.press("Logout");
    await browser.find("Sign in to your account");
  });
