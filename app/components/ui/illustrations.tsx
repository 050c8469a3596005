/**
 * Drawings of our own, in the theme's colours. They are decoration: the words beside them say everything.
 */

/** A folded map with a pin and a dotted way to it: an empty list that is about to be filled. */
export function MapIllustration() {
  return (
    <svg className="illustration" viewBox="0 0 208 136" fill="none" aria-hidden="true">
      <path
        className="fill-surface stroke-control"
        strokeWidth="1.5"
        strokeLinejoin="round"
        d="M14 38 72 22l64 18 58-18v86l-58 18-64-18-58 16Z"
      />
      <path className="fill-plum-wash" d="M72.7 23.2 135.3 41v83.7L72.7 107.2Z" />
      <path className="stroke-control" strokeWidth="1.5" d="M72 22v86M136 40v86" />
      <path
        className="stroke-line"
        strokeWidth="5"
        strokeLinecap="round"
        d="M22 62c18-10 30 2 44-4M24 98c14 2 26-14 40-10M144 66c16-14 30 2 44-8M146 104c10-10 24-4 40-16"
      />
      <path
        className="stroke-plum"
        strokeWidth="2"
        strokeLinecap="round"
        strokeDasharray="1 6"
        d="M32 106c16 6 24-14 40-16 14-2 22 6 32 0"
      />
      <ellipse className="fill-control" opacity=".35" cx="104" cy="91" rx="12" ry="3.5" />
      <path
        className="logo-pin"
        d="M104 90C98.3 82.7 84 72.8 84 59.8a20 20 0 0 1 40 0c0 13-14.3 22.9-20 30.2Z"
      />
      <g strokeWidth="3.6" strokeLinecap="round">
        <path stroke="#ff8f7d" d="M91.4 63.7a12.6 12.6 0 0 1 25.2 0" />
        <path stroke="#f8d34a" d="M97 63.7a7 7 0 0 1 14 0" />
      </g>
      <circle cx="104" cy="64.3" r="2.8" fill="#7fe0c3" />
    </svg>
  );
}

/** A way that wanders off, and a pin that has not found its place: for pages that could not be shown. */
export function LostPinIllustration() {
  return (
    <svg className="illustration" viewBox="0 0 208 112" fill="none" aria-hidden="true">
      <path
        className="stroke-line"
        strokeWidth="1.5"
        d="M6 92c34-26 52 8 84-10s30-44 62-46 40 26 52 14M6 70c30-20 46 6 74-8s28-40 58-42 46 22 64 8M10 108c36-16 60 6 92-6s36-40 62-42 28 20 40 18"
      />
      <path
        className="stroke-plum"
        strokeWidth="2"
        strokeLinecap="round"
        strokeDasharray="1 6"
        d="M20 98c20-22 34 4 52-12 12-11-4-24-12-14s8 22 26 12 18-26 32-30"
      />
      <g transform="rotate(16 140 50)">
        <path
          className="logo-pin"
          d="M140 72c-4.8-6.2-17-14.6-17-25.6a17 17 0 0 1 34 0c0 11-12.2 19.4-17 25.6Z"
        />
        <g strokeWidth="3.1" strokeLinecap="round">
          <path stroke="#ff8f7d" d="M129.2 49.7a10.8 10.8 0 0 1 21.6 0" />
          <path stroke="#f8d34a" d="M134 49.7a6 6 0 0 1 12 0" />
        </g>
        <circle cx="140" cy="50.2" r="2.4" fill="#7fe0c3" />
      </g>
    </svg>
  );
}

/** Three calm sheets with a tick: a queue that has been worked off. */
export function ClearDeskIllustration() {
  return (
    <svg className="illustration" viewBox="0 0 208 120" fill="none" aria-hidden="true">
      <path className="stroke-line" strokeWidth="5" strokeLinecap="round" d="M30 110h148" />
      <g className="fill-surface stroke-control" strokeWidth="1.5">
        <rect x="62" y="34" width="62" height="72" rx="7" transform="rotate(-9 93 70)" />
        <rect x="82" y="30" width="62" height="76" rx="7" transform="rotate(5 113 68)" />
        <rect x="72" y="26" width="64" height="82" rx="7" />
      </g>
      <path className="stroke-line" strokeWidth="4" strokeLinecap="round" d="M84 84h40M84 95h26" />
      <circle className="fill-published-wash" cx="104" cy="54" r="16" />
      <path
        className="stroke-published"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
        d="m97 54.5 5 5 9.5-10.5"
      />
    </svg>
  );
}
