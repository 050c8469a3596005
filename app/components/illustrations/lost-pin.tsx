/** A drawing of our own, decoration in the theme’s colours. A way that wanders off, and a pin that has not found its place: for pages that could not be shown. */
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
