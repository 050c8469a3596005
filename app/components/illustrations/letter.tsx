/** A drawing of our own, decoration in the theme’s colours. An open envelope with a note rising from it: nobody has written yet, and somebody will. */
export function LetterIllustration() {
  return (
    <svg className="illustration" viewBox="0 0 208 120" fill="none" aria-hidden="true">
      <path className="stroke-line" strokeWidth="5" strokeLinecap="round" d="M30 112h148" />
      <path className="fill-plum-wash stroke-control" strokeWidth="1.5" strokeLinejoin="round" d="m54 56 50-34 50 34v50H54Z" />
      <rect className="fill-surface stroke-control" strokeWidth="1.5" x="68" y="14" width="72" height="72" rx="6" />
      <path className="stroke-line" strokeWidth="4" strokeLinecap="round" d="M82 48h44M82 60h30" />
      <path className="fill-surface stroke-control" strokeWidth="1.5" strokeLinejoin="round" d="m54 56 50 33 50-33v46a6 6 0 0 1-6 6H60a6 6 0 0 1-6-6Z" />
      <g strokeWidth="3" strokeLinecap="round">
        <path stroke="#ff8f7d" d="M91 36a13 13 0 0 1 26 0" />
        <path stroke="#f8d34a" d="M97 36a7 7 0 0 1 14 0" />
      </g>
      <circle cx="104" cy="36" r="2.6" fill="#7fe0c3" />
    </svg>
  );
}
