import type { ReactNode } from "react";

interface SelectionBarProps {
  /** How many are selected while a checkbox says "all that match": "412 listings". */
  all?: string;
  /** What can be done with the selected rows; shown once there are any. */
  children: ReactNode;
  /** How to begin, while nothing is selected. */
  hint: string;
  /** What selects several rows at once. */
  links?: ReactNode;
}

/**
 * The bar for the selected rows of a table, in view at the bottom of the window. It's the last child of a form with the
 * class `selection-form`. The stylesheet counts the checkboxes, and shows what can be done when one is checked:
 * that needs no script.
 */
export function SelectionBar({ all, children, hint, links }: SelectionBarProps) {
  return (
    <div className="selection-bar">
      <p className="selected-count" data-all={all} />
      <div className="buttons">{children}</div>
      <p className="hint">{hint}</p>
      {links ? <div className="links">{links}</div> : null}
    </div>
  );
}
