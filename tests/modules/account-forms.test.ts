import { describe, expect, it } from "vitest";
import type { z } from "zod";

import { parseForm } from "~/http/form.server";
import {
  accountSchema,
  loginSchema,
  newPasswordSchema,
  recoverySchema,
  signupSchema,
} from "~/modules/accounts/schemas.server";

import { accountForm, signUpForm } from "../support/forms";

function submit(schema: z.ZodType, fields: Record<string, string> | [string, string][]) {
  const form = new FormData();
  for (const [name, value] of Array.isArray(fields) ? fields : Object.entries(fields))
    form.append(name, value);
  return parseForm(form, schema);
}
const errorsOf = (...sent: Parameters<typeof submit>) => {
  const submission = submit(...sent);
  return submission.status === "success" ? {} : submission.error;
};
const valuesOf = (...sent: Parameters<typeof submit>) => {
  const submission = submit(...sent);
  if (submission.status !== "success") throw new Error(JSON.stringify(submission.error));
  return submission.value as Record<string, unknown>;
};

const PHONE_RULE = "Enter a valid phone number for the country you’ve chosen.";
const TEXTS_RULE = "Enter the phone number that text messages should go to.";

describe("the sign-up form", () => {
  it("reports everything that is missing at once, for single fields and for rules about several", () => {
    expect(errorsOf(signupSchema, {})).toEqual({
      email: ["Enter your email address."],
      password: ["Enter a password."],
      full_name: ["Enter your full name."],
    });
    expect(
      errorsOf(signupSchema, { phone: "12", phone_country: "US", sms_opted_in: "on" }),
    ).toMatchObject({
      email: expect.any(Array),
      phone: [PHONE_RULE],
    });
    expect(errorsOf(signupSchema, { sms_opted_in: "on" })).toMatchObject({
      password: expect.any(Array),
      phone: [TEXTS_RULE],
    });
  });

  it("requires only email, password, and name, and gives no consent that was not given", () => {
    const { email, password, full_name } = signUpForm();
    expect(
      valuesOf(signupSchema, { email: email!, password: password!, full_name: full_name! }),
    ).toEqual({
      email,
      password,
      full_name,
      opted_in: false,
      sms_opted_in: false,
    });
  });

  it.each(["true", "1", "yes", "off", "ON"])(
    "does not accept %s as a checked checkbox",
    (value) => {
      expect(errorsOf(signupSchema, signUpForm({ opted_in: value }))).toEqual({
        opted_in: ["Check the box or leave it unchecked."],
      });
    },
  );

  it("reports a field that was sent twice or is not text", () => {
    for (const name of ["phone", "phone_country", "full_name", "email", "password", "pronouns"]) {
      for (const twice of [
        [
          [name, "a"],
          [name, "b"],
        ],
        [[`${name}.x`, "a"]],
        [[`${name}[0]`, "a"]],
      ] as [string, string][][]) {
        const rest = Object.entries(signUpForm()).filter(([other]) => other !== name);
        expect(
          Object.keys(errorsOf(signupSchema, [...rest, ...twice]) ?? {}).map(
            (path) => path.split(/[.[]/)[0],
          ),
          `${name} as ${JSON.stringify(twice)}`,
        ).toContain(name);
      }
    }
  });
});

describe("an email address", () => {
  it.each([
    "sam",
    "sam@",
    "@example.test",
    "sam@example",
    "a b@example.test",
    "sam@exa mple.test",
    "<sam@example.test>",
    "sam@example.test, x@example.test",
  ])("%s is rejected by every form that has one", (email) => {
    for (const schema of [signupSchema, accountSchema, loginSchema, recoverySchema]) {
      expect(errorsOf(schema, { ...signUpForm(), email })).toEqual({
        email: ["Enter an email address like name@example.com."],
      });
    }
  });

  it.each([
    [" Sam@Example.TEST ", "sam@example.test"],
    ["sam+list@sub.example.test", "sam+list@sub.example.test"],
    ["o'hara@example.test", "o'hara@example.test"],
  ])("is normalized: %j", (email, known) => {
    expect(valuesOf(recoverySchema, { email })).toEqual({ email: known });
  });
});

describe("a new password", () => {
  const newPassword = newPasswordSchema({ email: "sam@example.test", name: "Sam Rivera" });

  it("must be the same twice, and both errors are reported at once", () => {
    expect(
      errorsOf(newPassword, { password: "a fine one 77", confirm_password: "a fine one 78" }),
    ).toEqual({ confirm_password: ["The passwords do not match."] });
    expect(errorsOf(newPassword, { password: "short", confirm_password: "other" })).toEqual({
      password: ["Use at least 8 characters for your password."],
      confirm_password: ["The passwords do not match."],
    });
    expect(errorsOf(newPassword, {})).toMatchObject({
      password: ["Enter a password."],
      confirm_password: ["Enter the new password again."],
    });
  });

  it("preserves spaces", () => {
    const password = "  two spaces, twice  ";
    expect(valuesOf(newPassword, { password, confirm_password: password })).toMatchObject({
      password,
    });
  });
});

describe("the account form", () => {
  it("requires only the address", () => {
    expect(
      valuesOf(accountSchema, accountForm({ full_name: "", phone_country: "" })),
    ).toMatchObject({ email: "sam@example.test", opted_in: false });
  });

  it("accepts any names and pronouns", () => {
    const words = { full_name: "Zoe\u0308 O’Hara-Łuczak 🏳️‍⚧️", pronouns: "fae/faer · “ze”" };
    expect(valuesOf(accountSchema, accountForm(words))).toMatchObject(words);
  });

  it("does not accept an opt-in to texts without a phone number", () => {
    expect(errorsOf(accountSchema, accountForm({ sms_opted_in: "on" }))).toEqual({
      phone: [TEXTS_RULE],
    });
    expect(
      errorsOf(accountSchema, accountForm({ sms_opted_in: "on", phone: "(415) 555-2671" })),
    ).toEqual({});
  });

  it("needs the country of a number, unless the number names it", () => {
    for (const phone_country of ["", "Atlantis", "United"])
      expect(
        errorsOf(accountSchema, accountForm({ phone: "(415) 555-2671", phone_country })),
      ).toEqual({
        phone_country: ["Choose country"],
      });
    for (const phone_country of ["", "Atlantis", "United States (+1)"])
      expect(
        errorsOf(accountSchema, accountForm({ phone: "+44 20 7946 0018", phone_country })),
      ).toEqual({});
    expect(errorsOf(accountSchema, accountForm({ phone: "", phone_country: "Atlantis" }))).toEqual(
      {},
    );
    expect(
      errorsOf(
        accountSchema,
        accountForm({ phone: "(415) 555-2671", phone_country: "united states" }),
      ),
    ).toEqual({});
  });

  it("ignores fields for permissions", () => {
    const rights = {
      admin: "true",
      supporter: "true",
      business_owner: "false",
      id: "x",
      created_at: "2000-01-01",
    };
    expect(valuesOf(accountSchema, accountForm(rights))).toEqual(
      valuesOf(accountSchema, accountForm()),
    );
  });
});
