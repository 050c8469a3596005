import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Callout } from "~/components/ui/callout";
import { paths } from "~/http/paths";
import type { RequestedDeletion } from "~/http/session.server";
import { formatLastDay } from "~/text/deadlines";

/** Says that the user's account will be deleted, and how to keep it. Nothing if they haven't requested that. */
export function DeletionNotice({ deletion }: { deletion: RequestedDeletion | null }) {
  if (deletion === null) return null;
  if (deletion.begun)
    return (
      <Callout
        tone="problem"
        title={
          deletion.onlyAdmin ? "Your account can’t be deleted yet" : "We’re deleting your account"
        }
      >
        You asked us to delete it, and we’ve begun, so you can’t keep it anymore.
        {deletion.onlyAdmin
          ? " But you’re the only admin. Make someone else an admin first. We’ll delete your account after that."
          : null}
      </Callout>
    );
  const lastDay = formatLastDay(deletion.dueAt);
  return (
    <Callout
      tone="waiting"
      title={
        deletion.onlyAdmin
          ? "Your account can’t be deleted yet"
          : `Your account will be deleted after ${lastDay}`
      }
    >
      <p>
        {deletion.onlyAdmin
          ? `You asked us to delete it, but you’re the only admin. Make someone else an admin first. We’ll delete your account after that, but not before ${lastDay} is over.`
          : "You asked us to delete it. You can change your mind until the end of that day."}
      </p>
      <PostForm action={paths.privacy()} intent="keep">
        <SubmitButton variant="quiet">Keep my account</SubmitButton>
      </PostForm>
    </Callout>
  );
}
