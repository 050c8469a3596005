import { describe, expect, it } from "vitest";

import { describeDiskProblem } from "../../local/disk-problem.mjs";

const failure = (code: string, path?: string) => Object.assign(new Error(code), { code, path });

describe("a file that can't be written", () => {
  it("is reported in words, with its path", () => {
    expect(describeDiskProblem(failure("ENOSPC", "/data/keys.json"))).toBe(
      "The disk is full (/data/keys.json). Fix that, and try again.",
    );
    expect(describeDiskProblem(failure("EROFS"))).toContain("The disk can't be written to");
    expect(describeDiskProblem(failure("EACCES"))).toContain("This account may not write there");
  });

  it("is recognized by the free space when the error does not say so", () => {
    expect(describeDiskProblem({ errno: 51 }, "/no/such/folder", 0)).toBeUndefined();
    expect(describeDiskProblem({ errno: 51 }, "/no/such/folder", Infinity)).toBe(
      "The disk is full (/no/such/folder). Fix that, and try again.",
    );
  });

  it("is not confused with another error", () => {
    expect(describeDiskProblem(new Error("boom"), "/tmp", 0)).toBeUndefined();
    expect(describeDiskProblem(undefined)).toBeUndefined();
  });
});
