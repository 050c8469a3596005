import type { IconName } from "~/components/ui/icon-names";

/**
 * A small line drawing in the colour and size of the text around it. Without a label it is decoration and is hidden
 * from assistive technology; with one it is an image of that name.
 */
export function Icon({ name, label }: { name: IconName; label?: string }) {
  const use = <use href={`/icons.svg#${name}`} />;
  return label === undefined ? (
    <svg className="icon" aria-hidden="true">
      {use}
    </svg>
  ) : (
    <svg className="icon" role="img" aria-label={label}>
      {use}
    </svg>
  );
}
