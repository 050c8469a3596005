/**
 * The mark: a map pin that holds an arc of the rainbow. `size` is its height and width in px; give a `label` only where
 * the product's name does not stand beside it.
 */
export function Logo({ size = 30, label }: { size?: number; label?: string }) {
  return (
    <svg
      className="logo"
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
    >
      <path
        className="logo-pin"
        d="M16 31C12.6 26.6 4 20.7 4 12.9a12 12 0 0 1 24 0C28 20.7 19.4 26.6 16 31Z"
      />
      <g strokeWidth="2.2" strokeLinecap="round">
        <path stroke="#ff8f7d" d="M8.4 15.2a7.6 7.6 0 0 1 15.2 0" />
        <path stroke="#f8d34a" d="M11.8 15.2a4.2 4.2 0 0 1 8.4 0" />
      </g>
      <circle cx="16" cy="15.6" r="1.7" fill="#7fe0c3" />
    </svg>
  );
}
