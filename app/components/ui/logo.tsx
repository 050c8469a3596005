/**
 * The product's logo. `size` is its height and width in px. It needs a `label` only where the
 * product's name is not beside it.
 */
export function Logo({ size = 30, label }: { size?: number; label?: string }) {
  return (
    <svg
      className="logo"
      width={size}
      height={size}
      {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
    >
      <use href="/icons.svg#mark" />
    </svg>
  );
}
