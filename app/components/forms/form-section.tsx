import { useId } from "react";
import type { ReactNode } from "react";

interface FormSectionProps {
  title: string;
  /** For links to the section; made up when left out. */
  id?: string;
  children: ReactNode;
  description?: ReactNode;
}

/** A part of a long form under its own heading, set off by a line from the part before. */
export function FormSection({ title, id: given, description, children }: FormSectionProps) {
  const own = useId();
  const id = given ?? own;
  return (
    <section className="form-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {description === undefined ? null : <p className="hint">{description}</p>}
      <div className="fields">{children}</div>
    </section>
  );
}
