/** A drawing of our own, decoration in the theme’s colours. A folded map with a pin and a dotted way to it: an empty list that is about to be filled. */
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
