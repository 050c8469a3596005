/** By the name of a part: the files that it needs besides those of every page (scripts/part-files.ts). */
declare const BUILT_PART_FILES: Readonly<Record<string, readonly string[]>> | undefined;

const PART_FILES = typeof BUILT_PART_FILES === "undefined" ? {} : BUILT_PART_FILES;

/**
 * The `Link` header of a page with parts that are loaded for them alone (`lazyPart`): the browser asks for their files
 * with those of the page. Without it, it would first run the page's code, and wait for one or two more round trips before
 * React starts.
 * @returns null for a page without such parts
 */
export function linkToParts(page: Buffer): string | null {
  const files = Object.entries(PART_FILES)
    .filter(([name]) => page.includes(`data-part="${name}"`))
    .flatMap(([, ofPart]) => ofPart);
  if (files.length === 0) return null;
  return [...new Set(files)].map((file) => `</${file}>; rel=modulepreload`).join(", ");
}
