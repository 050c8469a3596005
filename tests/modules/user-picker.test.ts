import { expect, it } from "vitest";

import { readPickedUser } from "~/modules/accounts/user-picker.server";

const ID = "5eed0000-0000-4000-8000-00000000000A";
const pick = (...values: string[]) => {
  const form = new FormData();
  for (const value of values) form.append("owner", value);
  return readPickedUser(form);
};

it("distinguishes a user, no user, and a form without the field", () => {
  expect(pick(ID)).toEqual({ kind: "user", id: ID.toLowerCase() });
  expect(pick("")).toEqual({ kind: "none" });
  expect(pick()).toEqual({ kind: "unchanged" });
});

it.each(["me", "1", `${ID} `, `${ID},${ID}`, "null", "00000000000000000000000000000000"])(
  "changes nothing for %j, which is not an id",
  (typed) => {
    expect(pick(typed)).toEqual({ kind: "unchanged" });
  },
);
