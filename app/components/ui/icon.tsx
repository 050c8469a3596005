import type { IconName } from "~/components/ui/icon-names";
import icons from "~/components/ui/icons.svg?url";

/**
 * An icon in the color and size of the text around it. Without a label it is decoration, and hidden
 * from assistive technology; with one it is an image with that name.
 */
export function Icon({ name, label }: { name: IconName; label?: string }) {
  const use = <use href={`${icons}#${name}`} />;
  return label === undefined ? (
    <svg className="icon" width="20" height="20" aria-hidden="true">
      {use}
    </svg>
  ) : (
    <svg className="icon" width="20" height="20" role="img" aria-label={label}>
      {use}
    </svg>
  );
}
