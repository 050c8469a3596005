import { Link } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";

import { BUILT_IN_VIEWS, MAX_VIEW_NAME_LENGTH, queuePath, type NamedFilter } from "./filter";
import type { SavedView } from "./saved-views.server";

interface SavedViewLinksProps {
  views: readonly NamedFilter[];
  /** The URL of the page, with its filter. */
  here: string;
}

/** Links to the built-in views and the admin's own. */
export function SavedViewLinks({ views, here }: SavedViewLinksProps) {
  const links = [...BUILT_IN_VIEWS, ...views].map(({ name, filter }) => ({
    name,
    address: queuePath(filter),
  }));
  return (
    <nav aria-label="Saved views">
      <p className="links">
        {links.map(({ name, address }, index) => (
          <Link
            key={`${index} ${name}`}
            to={address}
            discover="none"
            aria-current={address === here ? "page" : undefined}
          >
            {name}
          </Link>
        ))}
      </p>
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
    <details className="changes" open={form.field("name").errors !== undefined}>
      <summary>Save this filter as a view</summary>
      <PostForm intent="save-view" form={form}>
        <TextField
          field={form.field("name")}
          label="Name of the view"
          hint="It stands above the tables, for you alone. Saved again under its name, it is changed."
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
