/** The drawings in public/illustrations.svg, each with its canvas. One is added to both at once. */
const CANVASES = {
  map: "0 0 208 136",
  letter: "0 0 208 120",
  "clear-desk": "0 0 208 120",
  "notice-board": "0 0 208 132",
  "featured-pin": "0 0 260 220",
  "lost-pin": "0 0 208 112",
} as const;

export type IllustrationName = keyof typeof CANVASES;

/** A drawing of our own in the theme’s colours. It is decoration, and hidden from assistive technology. */
export function Illustration({ name }: { name: IllustrationName }) {
  return (
    <svg className="illustration" viewBox={CANVASES[name]} aria-hidden="true">
      <use href={`/illustrations.svg#${name}`} />
    </svg>
  );
}
