import { useId } from "react";
import type { ReactNode } from "react";

interface FormSectionProps {
  title: string;
  /** For links to the section; generated when left out. */
  id?: string;
  /** Who sees all of its fields. */
  mark?: ReactNode;
  children: ReactNode;
  description?: ReactNode;
}

/** A section of a long form with its own heading. */
export function FormSection({ title, id: given, mark, description, children }: FormSectionProps) {
  const own = useId();
  const id = given ?? own;
  return (
    <section className="form-section" aria-labelledby={id}>
      {mark === undefined ? (
        <h2 id={id}>{title}</h2>
      ) : (
        <div className="marked">
          <h2 id={id}>{title}</h2>
          {mark}
        </div>
      )}
      {description === undefined ? null : <p className="hint">{description}</p>}
      <div className="fields">{children}</div>
    </section>
  );
}
