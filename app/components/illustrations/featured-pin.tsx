/** A drawing of our own, decoration in the theme’s colours. A street map where one pin stands out among many: what a Featured listing looks like to those who pass. */
export function FeaturedPinIllustration() {
  return (
    <svg className="illustration" viewBox="0 0 260 220" fill="none" aria-hidden="true">
      <path className="fill-surface stroke-control" strokeWidth="1.5" strokeLinejoin="round" d="M14 52 92 26l84 24 70-20v144l-70 22-84-24-78 20Z" />
      <path className="fill-plum-wash" d="M93 28 175 51v144L93 171Z" />
      <path className="stroke-control" strokeWidth="1.5" d="M92 26v146M176 50v146" />
      <path
        className="stroke-line"
        strokeWidth="6"
        strokeLinecap="round"
        d="M24 88c26-14 42 4 62-6M24 146c22 4 40-20 60-14M104 70c22-2 40 14 62 8M102 152c18-10 44 10 64 2M186 84c20-16 38 2 54-10M188 156c16-12 34-4 50-20"
      />
      <g className="fill-surface stroke-control" strokeWidth="1.5">
        <path d="M48 126c-2.6-3.3-9-7.8-9-13.6a9 9 0 0 1 18 0c0 5.8-6.4 10.3-9 13.6Z" />
        <path d="M216 128c-2.6-3.3-9-7.8-9-13.6a9 9 0 0 1 18 0c0 5.8-6.4 10.3-9 13.6Z" />
        <path d="M196 72c-2.6-3.3-9-7.8-9-13.6a9 9 0 0 1 18 0c0 5.8-6.4 10.3-9 13.6Z" />
        <path d="M66 78c-2.6-3.3-9-7.8-9-13.6a9 9 0 0 1 18 0c0 5.8-6.4 10.3-9 13.6Z" />
      </g>
      <ellipse className="fill-control" opacity=".35" cx="134" cy="151" rx="20" ry="5.5" />
      <path className="logo-pin" d="M134 150c-9.4-12-32.8-28.2-32.8-49.6a32.8 32.8 0 0 1 65.6 0c0 21.4-23.4 37.6-32.8 49.6Z" />
      <g strokeWidth="5.8" strokeLinecap="round">
        <path stroke="#ff8f7d" d="M113.4 107a20.6 20.6 0 0 1 41.2 0" />
        <path stroke="#f8d34a" d="M122.6 107a11.4 11.4 0 0 1 22.8 0" />
      </g>
      <circle cx="134" cy="107.8" r="4.6" fill="#7fe0c3" />
      <path
        className="fill-featured"
        d="m134 34 3.5 8.6 9.3.7-7.1 6 2.2 9-7.9-4.9-7.9 4.9 2.2-9-7.1-6 9.3-.7Z"
      />
    </svg>
  );
}
