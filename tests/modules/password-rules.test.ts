import { describe, expect, it } from "vitest";

import { validatePassword } from "~/modules/accounts/password-rules.server";

describe("a password", () => {
  it.each([
    ["eight characters", "gk3!vq7x"],
    ["64 characters", "x1".repeat(32)],
    ["72 characters, the most that counts", "y".repeat(71) + "7"],
    ["spaces inside and around", " rain on a tin roof "],
    ["emoji", "🦄🌈🦄🌈🦄🌈🦄🌈"],
    ["another script", "пароль-радуга"],
    ["letters alone, when it is long and not known", "qzvkjxwmhfbt"],
  ])("may be %s", (_, password) => {
    expect(validatePassword(password)).toBeNull();
  });

  it.each([
    ["of seven characters", "gk3!vq7", /at least 8/],
    ["of seven emoji, however many bytes they have", "🦄🌈🦄🌈🦄🌈🦄", /at least 8/],
    ["of 73 bytes", "y".repeat(73), /at most 72/],
    ["of 73 bytes in fewer characters", "é".repeat(36) + "x", /at most 72/],
    ["of 19 emoji", "🦄".repeat(19), /at most 72/],
    ["password", "password", /most used/],
    ["PassWord1", "PassWord1", /most used/],
    ["12345678", "12345678", /most used/],
    ["qwertyuiop", "qwertyuiop", /most used/],
    ["iloveyou1", "iloveyou1", /most used/],
    ["nothing", "", /at least 8/],
  ])("may not be %s", (_, password, reason) => {
    expect(validatePassword(password)).toMatch(reason);
  });
});
