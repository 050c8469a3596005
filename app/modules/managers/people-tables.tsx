import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { DataTable } from "~/components/ui/data-table";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import type { Manager, OpenInvitation } from "./managers.server";

const dayOf = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
const day = (moment: string) => <time dateTime={moment}>{dayOf.format(new Date(moment))}</time>;
const nameOf = ({ name, email }: Manager) => name ?? email ?? "No name given";

/** Who manages a listing, each with the way to end it. */
export function ManagersTable({ listing, managers }: { listing: number; managers: Manager[] }) {
  return (
    <DataTable
      caption="Who manages it"
      rows={managers}
      rowKey={({ id }) => id}
      columns={[
        { key: "name", header: "Name", rowHeader: true, cell: nameOf },
        { key: "email", header: "Invited as", cell: ({ email }) => email ?? "Not known any more" },
        { key: "since", header: "Since (UTC)", nowrap: true, cell: ({ since }) => day(since) },
        {
          key: "remove",
          header: "What you can do",
          hideHeader: true,
          cell: (manager) => (
            <TextLink to={paths.removeManager(listing, manager.id)} about={nameOf(manager)}>
              Remove
            </TextLink>
          ),
        },
      ]}
    />
  );
}

/** Invitations without an answer, each with the button that takes it back. */
export function InvitationsTable({ invitations }: { invitations: OpenInvitation[] }) {
  return (
    <DataTable
      caption="Invitations without an answer"
      rows={invitations}
      rowKey={({ id }) => id}
      columns={[
        { key: "email", header: "Email address", rowHeader: true, cell: ({ email }) => email },
        {
          key: "until",
          header: "Open until (UTC)",
          nowrap: true,
          cell: ({ expires_at: until, late }) => (
            <>
              {late ? "Ran out on " : ""}
              {day(until)}
            </>
          ),
        },
        {
          key: "withdraw",
          header: "What you can do",
          hideHeader: true,
          cell: ({ id, email }) => (
            <PostForm intent="withdraw">
              <input type="hidden" name="invitation" value={id} />
              <SubmitButton variant="quiet" about={email}>
                Take back
              </SubmitButton>
            </PostForm>
          ),
        },
      ]}
    />
  );
}
