import { useId } from "react";
import type { ReactNode } from "react";

interface FormSectionProps {
  title: string;
  children: ReactNode;
  description?: ReactNode;
}

/** A part of a long form under its own heading, set off by a line from the part before. */
export function FormSection({ title, description, children }: FormSectionProps) {
  const id = useId();
  return (
    <section className="form-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {description === undefined ? null : <p className="hint">{description}</p>}
      <div className="fields">{children}</div>
    </section>
  );
}
