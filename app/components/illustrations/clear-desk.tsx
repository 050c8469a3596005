/** A drawing of our own, decoration in the theme’s colours. Three calm sheets with a tick: a queue that has been worked off. */
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
