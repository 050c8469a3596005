import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Callout } from "~/components/ui/callout";
import type { Flash } from "~/http/flash.server";

/** Its live region is always rendered, so that a message that appears later is announced. */
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
