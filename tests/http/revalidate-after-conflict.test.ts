import { expect, it } from "vitest";

import { revalidateAfterConflict } from "~/http/revalidate-after-conflict";

type Args = Parameters<typeof revalidateAfterConflict>[0];

it.each([
  [409, true, true],
  [409, false, true],
  [400, true, false],
  [429, true, false],
  [503, true, false],
  [200, true, true],
  [undefined, true, true],
  [undefined, false, false],
])(
  "after a response with status %s and Remix's default %s returns %s",
  (actionStatus, defaultShouldRevalidate, expected) => {
    expect(revalidateAfterConflict({ actionStatus, defaultShouldRevalidate } as Args)).toBe(
      expected,
    );
  },
);
