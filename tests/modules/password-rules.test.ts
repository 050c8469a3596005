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
    ["only letters, when it is long and not common", "qzvkjxwmhfbt"],
  ])("can be %s", (_, password) => {
    expect(validatePassword(password)).toBeNull();
  });

  it.each([
    ["seven characters long", "gk3!vq7", /at least 8/],
    ["seven emoji long, although they have many bytes", "🦄🌈🦄🌈🦄🌈🦄", /at least 8/],
    ["73 bytes long", "y".repeat(73), /at most 72/],
    ["73 bytes long in fewer characters", "é".repeat(36) + "x", /at most 72/],
    ["19 emoji long", "🦄".repeat(19), /at most 72/],
    ["password", "password", /most used/],
    ["PassWord1", "PassWord1", /most used/],
    ["12345678", "12345678", /most used/],
    ["qwertyuiop", "qwertyuiop", /most used/],
    ["iloveyou1", "iloveyou1", /most used/],
    ["empty", "", /at least 8/],
  ])("is rejected when it is %s", (_, password, reason) => {
    expect(validatePassword(password)).toMatch(reason);
  });
});
