import { useState } from "react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Callout } from "~/components/ui/callout";
import type { Flash } from "~/http/flash.server";

/**
 * Its live region is always rendered, so that a message that appears later is announced; and the same message
 * again, since it is a new element.
 */
export function FlashMessage({ flash }: { flash?: Flash | null }) {
  const [shown, setShown] = useState({ flash, count: 0 });
  if (shown.flash !== flash) setShown({ flash, count: shown.count + 1 });
  return (
    <div role="status">
      {flash ? (
        <div className="flash" key={shown.count}>
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
