import { expect, it } from "vitest";

import { revalidateAfterConflict } from "~/http/revalidate-after-conflict";

type Asked = Parameters<typeof revalidateAfterConflict>[0];

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
  "after an answer of %s, where Remix would say %s: %s",
  (actionStatus, defaultShouldRevalidate, expected) => {
    expect(revalidateAfterConflict({ actionStatus, defaultShouldRevalidate } as Asked)).toBe(
      expected,
    );
  },
);
