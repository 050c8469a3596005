import type { ReactNode } from "react";

import { Badge } from "~/components/ui/badge";

interface FormBarProps {
  sections: readonly {
    id: string;
    title: string;
    /** How many errors it has. */
    problems: number;
  }[];
  /** Above the bar where it is beside the form; otherwise after the fields. */
  preview: ReactNode;
  /** The buttons of the form. */
  children: ReactNode;
}

/**
 * The preview, the sections, and the buttons of a long form. The latter are always in view: beside it on wide
 * screens, at the bottom of narrow ones. It is the last child of the form, in the flow, and never over the last field.
 */
export function FormBar({ sections, preview, children }: FormBarProps) {
  return (
    <div className="form-side">
      {preview}
      <div className="form-bar screen-only">
        <nav aria-label="Sections of the form">
          <ol>
            {sections.map(({ id, title, problems }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
                {problems > 0 ? <Badge tone="wrong">{problems} to fix</Badge> : null}
              </li>
            ))}
            <li>
              <a href="#preview">Preview</a>
            </li>
          </ol>
        </nav>
        {children}
      </div>
    </div>
  );
}
