import icons from "~/components/ui/icons.svg?url";

/** The directory's logo, beside its name. */
export function Logo() {
  return (
    <svg className="logo" width={30} height={30} aria-hidden>
      <use href={`${icons}#mark`} />
    </svg>
  );
}
