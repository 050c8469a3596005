import { expect, it } from "vitest";

import { readPickedUser } from "~/modules/accounts/user-picker.server";

const ID = "5eed0000-0000-4000-8000-00000000000A";
const choose = (...values: string[]) => {
  const form = new FormData();
  for (const value of values) form.append("owner", value);
  return readPickedUser(form);
};

it("distinguishes a user, no one, and a form without a UserPicker", () => {
  expect(choose(ID)).toEqual({ kind: "user", id: ID.toLowerCase() });
  expect(choose("")).toEqual({ kind: "none" });
  expect(choose()).toEqual({ kind: "unchanged" });
});

it.each(["me", "1", `${ID} `, `${ID},${ID}`, "null", "00000000000000000000000000000000"])(
  "treats %j, which is not an id, as unchanged",
  (typed) => {
    expect(choose(typed)).toEqual({ kind: "unchanged" });
  },
);
