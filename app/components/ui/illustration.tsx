import illustrations from "~/components/ui/illustrations.svg?url";

/** The symbols in illustrations.svg with their view boxes. A test shows that both agree. */
const VIEW_BOXES = {
  map: "0 0 208 136",
  letter: "0 0 208 120",
  "clear-desk": "0 0 208 120",
  "notice-board": "0 0 208 132",
  "featured-pin": "0 0 260 220",
  "lost-pin": "0 0 208 112",
  streets: "0 0 240 96",
} as const;

export type IllustrationName = keyof typeof VIEW_BOXES;

export const ILLUSTRATIONS = Object.keys(VIEW_BOXES) as IllustrationName[];

/**
 * An illustration in the theme’s colors. It is decoration, and hidden from assistive technology.
 */
export function Illustration({ name }: { name: IllustrationName }) {
  return (
    <svg className="illustration" viewBox={VIEW_BOXES[name]} aria-hidden="true">
      <use href={`${illustrations}#${name}`} />
    </svg>
  );
}
