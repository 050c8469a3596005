import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { isTyped, type PostedField } from "~/http/typed-field";

interface ResendFormProps {
  /** Where the form was sent. */
  action: string;
  fields: PostedField[];
  /** What is meant now, when that is not what was meant then. */
  intent?: string;
  label?: string;
  /** Whether what was typed stands open. */
  open?: boolean;
}

/** What somebody typed into a form that got no answer, to look at, copy, and send once more. */
export function ResendForm({ action, fields, intent, label = "Send it again", open }: ResendFormProps) {
  const typed = fields.filter(isTyped);
  return (
    <PostForm action={action} intent={intent}>
      {fields.map(([name, value], index) => (
        <input key={index} type="hidden" name={name} value={value} />
      ))}
      <SubmitButton>{label}</SubmitButton>
      {typed.length === 0 ? null : (
        <details open={open} className="mt-4">
          <summary>What you typed</summary>
          <dl className="prose">
            {typed.map(([name, value], index) => (
              <div key={index}>
                <dt className="font-semibold">{name.replaceAll("_", " ")}</dt>
                <dd className="whitespace-pre-wrap">{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </PostForm>
  );
}
