import { useId } from "react";
import type { ReactNode } from "react";

interface FormSectionProps {
  title: string;
  /** For links to the section; generated when left out. */
  id?: string;
  children: ReactNode;
  description?: ReactNode;
}

/** A section of a long form with its own heading. */
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
