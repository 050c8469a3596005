import { describe, expect, it, vi } from "vitest";

import { validatePassword } from "~/modules/accounts/password-rules.server";

const SAM = { email: "sam.rivera@example.test", name: "Sam Rivera" };

describe("a password", () => {
  it.each([
    ["eight characters", "gk3!vq7x"],
    ["64 characters", "x1".repeat(32)],
    ["72 characters, the most that counts", "y".repeat(71) + "7"],
    ["spaces inside and around", " rain on a tin roof "],
    ["emoji", "🦄🌈🦄🌈🦄🌈🦄🌈"],
    ["another script", "пароль-радуга"],
    ["only letters, when it is long and not common", "qzvkjxwmhfbt"],
    ["words with a short sequence in them", "abc of rainbows 123"],
    ["its owner’s name with more beside it", "rivera likes tin roofs"],
  ])("can be %s", (_, password) => {
    expect(validatePassword(password, SAM)).toBeNull();
  });

  it.each([
    ["seven characters long", "gk3!vq7", /at least 8/],
    ["seven emoji long, although they have many bytes", "🦄🌈🦄🌈🦄🌈🦄", /at least 8/],
    ["73 bytes long", "y".repeat(73), /at most 72/],
    ["73 bytes long in fewer characters", "é".repeat(36) + "x", /at most 72/],
    ["19 emoji long", "🦄".repeat(19), /at most 72/],
    ["password", "password", /too common/],
    ["PassWord1", "PassWord1", /too common/],
    ["12345678", "12345678", /too common/],
    ["qwertyuiop", "qwertyuiop", /too common/],
    ["iloveyou1", "iloveyou1", /too common/],
    ["empty", "", /at least 8/],
    ["only spaces", "        ", /of spaces/],
    ["only spaces of other kinds", "\u00a0\u2003\u00a0\u2003\u00a0\u2003\u00a0\u2003", /of spaces/],
    ["one character", "aaaaaaaa", /repeats one character/],
    ["one character in two cases", "AaAaAaAaA", /repeats one character/],
    ["one character and spaces", "!!!! !!!! !!!!", /repeats one character/],
    ["one flag", "🏳️‍🌈".repeat(5), /repeats one character|at least 8/],
    ["the alphabet", "abcdefghij", /sequences/],
    ["the alphabet backward", "zyxwvutsrq", /sequences/],
    ["a row of keys and digits", "asdfgh7890", /sequences/],
    ["several sequences", "Abcd4321efgh", /sequences/],
    ["repeats in a row", "aaabbbcccddd", /sequences/],
    ["an alphabet of another script", "абвгдежз", /sequences/],
    ["the owner’s email address", "Sam.Rivera@Example.test", /email address or name/],
    ["its local part", "sam.rivera", /email address or name/],
    ["its local part in another form", "SamRivera!", /email address or name/],
    ["the owner’s name", "Sam Rivera", /email address or name/],
    ["the last name and a year", "Rivera-87", /email address or name/],
  ])("is rejected when it is %s", (_, password, reason) => {
    expect(validatePassword(password, SAM)).toMatch(reason);
  });
});

describe("a very long text", () => {
  it("is rejected as a password before it is split into characters", () => {
    const segment = vi.spyOn(Intl.Segmenter.prototype, "segment");
    expect(validatePassword("ab".repeat(250_000), SAM)).toMatch(/at most 72/);
    expect(segment).not.toHaveBeenCalled();
    segment.mockRestore();
  });

  it("with accents in the wrong order takes long to sort, so it counts for little as an address or a name", () => {
    const normalize = vi.spyOn(String.prototype, "normalize");
    const long = "a\u0315\u0316".repeat(20_000);
    expect(validatePassword("tin roofs in rain", { email: long, name: long })).toBeNull();
    const longest = Math.max(...normalize.mock.contexts.map((text) => String(text).length));
    normalize.mockRestore();
    expect(longest).toBeLessThanOrEqual(320);
  });
});
