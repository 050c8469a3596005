/** The directory's logo, beside its name. `size` is its height and width in px. */
export function Logo({ size = 30 }: { size?: number }) {
  return (
    <svg className="logo" width={size} height={size} aria-hidden>
      <use href="/icons.svg#mark" />
    </svg>
  );
}
