import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";

interface ResendFormProps {
  /** Where the form was sent. */
  action: string;
  fields: [name: string, value: string][];
}

/** Fields that a person typed are shown; the rest of the form goes along unseen. */
const isTyped = ([name, value]: [string, string]) =>
  value !== "" && !/^(intent|submission_id|version|redirectTo|token_hash|type)$/.test(name);

/** What somebody typed into a form that got no answer, to look at, copy, and send once more. */
export function ResendForm({ action, fields }: ResendFormProps) {
  const typed = fields.filter(isTyped);
  return (
    <PostForm action={action}>
      {fields.map(([name, value], index) => (
        <input key={index} type="hidden" name={name} value={value} />
      ))}
      <SubmitButton>Send it again</SubmitButton>
      {typed.length === 0 ? null : (
        <details>
          <summary>What you typed</summary>
          <dl className="prose">
            {typed.map(([name, value], index) => (
              <div key={index}>
                <dt>{name.replaceAll("_", " ")}</dt>
                <dd className="whitespace-pre-wrap">{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </PostForm>
  );
}
