import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import {
  toRefillFields,
  isUserField,
  REFILL,
  type FormLabels,
  type PostedField,
} from "~/http/submitted-form";

interface ResendFormProps {
  /** The URL that the form was sent to. */
  action: string;
  fields: PostedField[];
  labels: FormLabels;
  /** Replaces the form's own intent. */
  intent?: string;
  label?: string;
  variant?: "quiet" | undefined;
  /** Whether the submitted values are expanded. */
  open?: boolean;
}

function HiddenFields({ fields }: { fields: readonly PostedField[] }) {
  return fields.map(([name, value], index) => (
    <input key={index} type="hidden" name={name} value={value} />
  ));
}

/** The submitted values with their labels. */
function SubmittedFields({
  fields,
  labels: words,
  open,
}: Pick<ResendFormProps, "fields" | "labels" | "open">) {
  const byName = new Map<string, string[]>();
  for (const [name, value] of fields) byName.set(name, [...(byName.get(name) ?? []), value]);
  const format = (name: string, values: readonly string[]) =>
    words.codes.includes(name)
      ? "Your selection"
      : values.map((value) => (value === "on" ? "Yes" : value)).join(", ");
  return (
    <details open={open} className="mt-4">
      <summary>What you typed</summary>
      <dl className="prose">
        {[...byName].map(([name, values]) => (
          <div key={name}>
            <dt>
              <strong>{words.byField[name] ?? name.replaceAll("_", " ")}</strong>
            </dt>
            <dd className="whitespace-pre-wrap" dir="auto">
              {format(name, values)}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/**
 * A form that was not handled: to send again, to go back to its page and change it, or to read and
 * copy what was typed. With its own intent it can only be sent with that.
 */
export function ResendForm({
  action,
  fields,
  labels: words,
  intent,
  label = "Submit again",
  variant,
  open,
}: ResendFormProps) {
  const typed = fields.filter(isUserField);
  return (
    <>
      <div className="buttons">
        <PostForm action={action} intent={intent}>
          <HiddenFields fields={fields} />
          <SubmitButton variant={variant}>{label}</SubmitButton>
        </PostForm>
        {typed.length > 0 && intent === undefined ? (
          <PostForm action={action} intent={REFILL}>
            <HiddenFields fields={toRefillFields(fields)} />
            <SubmitButton variant="quiet">Back to the form</SubmitButton>
          </PostForm>
        ) : null}
      </div>
      {typed.length > 0 ? <SubmittedFields fields={typed} labels={words} open={open} /> : null}
    </>
  );
}
