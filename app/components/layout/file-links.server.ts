import styles from "~/styles/app.css?url";

/** By the name of a part: the files that it needs besides those of every page (scripts/part-files.ts). */
declare const BUILT_PART_FILES: Readonly<Record<string, readonly string[]>> | undefined;

const PART_FILES = typeof BUILT_PART_FILES === "undefined" ? {} : BUILT_PART_FILES;

/**
 * The `Link` header of a page: the files that the browser asks for before it has read the page. First the style sheet,
 * which nothing shows without: on a slow connection it comes 0.1 s sooner. Then the files of those parts that are loaded
 * for this page alone (`lazyPart`). Without them, the browser would first run the page's code, and wait for one or two
 * more round trips before React starts. The other files gain nothing by it, and would delay the style sheet.
 */
export function linkToFiles(page: Buffer): string {
  const files = Object.entries(PART_FILES)
    .filter(([name]) => page.includes(`data-part="${name}"`))
    .flatMap(([, ofPart]) => ofPart);
  return [
    `<${styles}>; rel=preload; as=style`,
    ...[...new Set(files)].map((file) => `</${file}>; rel=modulepreload`),
  ].join(", ");
}
