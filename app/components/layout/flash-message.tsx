import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Callout } from "~/components/ui/callout";

/** What the last action has to say, shown once on the page after it. */
export interface Flash {
  tone: "success" | "info" | "problem";
  text: string;
  /** Where a form with the intent "undo" takes back what was done, and what it sends. */
  undo?: { action: string; fields: Record<string, string> };
}

/** The region is always there, so that a message which arrives later is read out; it takes no room when empty. */
export function FlashMessage({ flash }: { flash?: Flash | null }) {
  return (
    <div role="status">
      {flash ? (
        <div className="flash">
          <Callout tone={flash.tone}>
            <p>{flash.text}</p>
            {flash.undo ? (
              <PostForm action={flash.undo.action} intent="undo">
                {Object.entries(flash.undo.fields).map(([name, value]) => (
                  <input key={name} type="hidden" name={name} value={value} />
                ))}
                <SubmitButton variant="link" busyText="Undoing">
                  Undo
                </SubmitButton>
              </PostForm>
            ) : null}
          </Callout>
        </div>
      ) : null}
    </div>
  );
}
