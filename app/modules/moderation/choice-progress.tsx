import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";

interface ChoiceProgressProps {
  /** What is gone on with: "decide" or "undo". */
  intent: string;
  /** In words: "1,000 of 4,200 decided on". */
  words: string;
  done: number;
  of: number;
  /** What the next step needs. */
  hidden?: Readonly<Record<string, string>>;
}

/** How far a long choice has come, and the button that goes on with it. */
export function ChoiceProgress({ intent, words, done, of, hidden = {} }: ChoiceProgressProps) {
  return (
    <PostForm intent={intent} className="fields">
      <p>
        <progress value={done} max={of} aria-label={words} /> {words}
      </p>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <div className="buttons">
        <SubmitButton busyText="Going on">Go on</SubmitButton>
      </div>
    </PostForm>
  );
}
