/** A drawing of our own, decoration in the theme’s colours. A notice board with three slips of paper, one of them pinned with the mark: work to be had. */
export function NoticeBoardIllustration() {
  return (
    <svg className="illustration" viewBox="0 0 208 132" fill="none" aria-hidden="true">
      <rect className="fill-surface stroke-control" strokeWidth="1.5" x="18" y="14" width="172" height="104" rx="9" />
      <rect className="fill-plum-wash" x="27" y="23" width="154" height="86" rx="4" />
      <g className="fill-surface stroke-control" strokeWidth="1.5">
        <rect x="36" y="42" width="44" height="52" rx="3" transform="rotate(-5 58 68)" />
        <rect x="130" y="40" width="44" height="52" rx="3" transform="rotate(4 152 66)" />
        <rect x="80" y="50" width="48" height="56" rx="3" />
      </g>
      <path
        className="stroke-line"
        strokeWidth="4"
        strokeLinecap="round"
        d="m45 62 22-2M46 73l14-1M90 82h28M90 92h16M140 60l22 2M139 71l15 1"
      />
      <circle className="fill-control" cx="56" cy="46" r="3" />
      <circle className="fill-control" cx="153" cy="44" r="3" />
      <path
        className="logo-pin"
        d="M104 74c-4.3-5.5-15-13.1-15-22.9a15 15 0 0 1 30 0c0 9.8-10.7 17.4-15 22.9Z"
      />
      <g strokeWidth="2.8" strokeLinecap="round">
        <path stroke="#ff8f7d" d="M94.5 54a9.5 9.5 0 0 1 19 0" />
        <path stroke="#f8d34a" d="M98.7 54a5.3 5.3 0 0 1 10.6 0" />
      </g>
      <circle cx="104" cy="54.5" r="2.1" fill="#7fe0c3" />
    </svg>
  );
}
