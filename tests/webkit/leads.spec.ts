import { addListings, approveListing, createAccount, dataApi } from "../e2e/data-api";
import { signIn, test } from "./journey";

test("an owner opens a lead, and marks it as replied with a note", async ({ tab }) => {
  const owner = await createAccount("Robin Vale");
  const [id] = await addListings(owner, ["Robin’s Flowers"]);
  await approveListing(id!);
  const sender = await dataApi(await createAccount("Wren Whitehorse"));
  await sender.add("leads", {
    place_id: id,
    requester_name: "Wren Whitehorse",
    requester_email: "wren@example.test",
    message: "Two bouquets, please.",
  });
  await signIn(tab, owner);
  await tab.open("/leads");
  await tab.follow("Wren Whitehorse");
  await tab.seesHeading("Wren Whitehorse");
  await tab.check("Replied");
  await tab.fill("Notes", "Two bouquets, three boutonnières.");
  await tab.press("Save");
  await tab.sees("Saved.");
  await tab.open("/leads?state=replied");
  await tab.follow("Wren Whitehorse");
  await tab.has("Notes", "Two bouquets, three boutonnières.");
});
