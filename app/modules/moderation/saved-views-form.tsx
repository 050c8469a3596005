import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";

import type { SavedView } from "./saved-views.server";

/** Keeps the filter of the table under a name, and deletes those that one has kept. */
export function SavedViewsForm({
  form,
  views,
}: {
  form: FormState<"name">;
  views: readonly SavedView[];
}) {
  return (
    <details className="changes" open={form.field("name").errors !== undefined}>
      <summary>Save this filter as a view</summary>
      <PostForm intent="save-view" form={form}>
        <TextField
          field={form.field("name")}
          label="Name of the view"
          hint="It stands above the tables, for you alone. Saved again under its name, it is changed."
          limit={60}
        />
        <div className="buttons">
          <SubmitButton variant="quiet" busyText="Saving">
            Save view
          </SubmitButton>
        </div>
      </PostForm>
      {views.length === 0 ? null : (
        <PostForm intent="delete-view">
          <p className="links">
            {views.map(({ id, name }) => (
              <SubmitButton
                key={id}
                variant="link"
                name="saved"
                value={String(id)}
                busyText="Deleting"
              >
                {`Delete “${name}”`}
              </SubmitButton>
            ))}
          </p>
        </PostForm>
      )}
    </details>
  );
}
