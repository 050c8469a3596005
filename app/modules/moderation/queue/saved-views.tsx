import { Link } from "react-router-dom";
import { Fragment } from "react";

import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { isolate } from "~/text/isolate";

import { MAX_VIEW_NAME_LENGTH } from "./filter";
import type { QueueView } from "./queue.server";
import type { SavedView } from "./saved-views.server";

/** Links to the queue's views and the admin's own. */
export function QueueViews({ views }: { views: readonly QueueView[] }) {
  return (
    <nav aria-label="Views" className="queue-views chips">
      {views.map(({ name, path, current, count }, index) => (
        <Fragment key={`${index} ${name}`}>
          <Link to={path} className="chip" aria-current={current ? "page" : undefined}>
            <bdi>{name}</bdi>
            {count === undefined ? null : <span>{` ${count}`}</span>}
          </Link>{" "}
        </Fragment>
      ))}
    </nav>
  );
}

interface SavedViewsFormProps {
  form: FormState<"name">;
  views: readonly SavedView[];
}

/** Saves the filter of the page as a view, and deletes the admin's own views. */
export function SavedViewsForm({ form, views }: SavedViewsFormProps) {
  return (
    <details className="queue-save" open={form.field("name").errors !== undefined}>
      <summary>Save this view</summary>
      <PostForm intent="save-view" form={form}>
        <TextField
          field={form.field("name")}
          label="View name"
          hint="It appears above the tables, and only you can see it. Saving under the same name replaces it."
          limit={MAX_VIEW_NAME_LENGTH}
        />
        <div className="buttons">
          <SubmitButton variant="quiet" busyText="Saving">
            Save view
          </SubmitButton>
        </div>
      </PostForm>
      {views.length === 0 ? null : (
        <PostForm intent="delete-view">
          <p className="links mt-4">
            {views.map(({ id, name }) => (
              <SubmitButton
                key={id}
                variant="link"
                name="saved"
                value={String(id)}
                busyText="Deleting"
              >
                {`Delete “${isolate(name)}”`}
              </SubmitButton>
            ))}
          </p>
        </PostForm>
      )}
    </details>
  );
}
