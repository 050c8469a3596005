import { Fragment } from "react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { DataTable } from "~/components/ui/data-table";
import { DateText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import type { Manager, PendingInvitation } from "./managers.server";

const getName = ({ name, email }: Manager) => name ?? email ?? "No name given";

/** The managers of a listing, each with a link to remove them. */
export function ManagersTable({ listing, managers }: { listing: number; managers: Manager[] }) {
  return (
    <DataTable
      caption="Managers"
      rows={managers}
      rowKey={({ id }) => id}
      columns={[
        { key: "name", header: "Name", rowHeader: true, cell: getName },
        {
          key: "email",
          header: "Invited as",
          kind: "long",
          cell: ({ email }) => email ?? "No longer stored",
        },
        {
          key: "since",
          header: "Manager since (UTC)",
          kind: "nowrap",
          cell: ({ since }) => <DateText at={since} />,
        },
        {
          key: "remove",
          header: "Actions",
          hideHeader: true,
          kind: "screen-only",
          cell: (manager) => (
            <TextLink to={paths.removeManager(listing, manager.id)} about={getName(manager)}>
              Remove
            </TextLink>
          ),
        },
      ]}
    />
  );
}

/** Too long for a line, it breaks before its "@" or a dot. */
function Address({ email }: { email: string }) {
  return (
    <bdi>
      {email.split(/(?=[@.])/).map((part, index) => (
        <Fragment key={index}>
          {index === 0 ? null : <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  );
}

/** Invitations that were not accepted, each with a button to cancel it. */
export function InvitationsTable({ invitations }: { invitations: PendingInvitation[] }) {
  return (
    <DataTable
      caption="Pending invitations"
      rows={invitations}
      rowKey={({ id }) => id}
      columns={[
        {
          key: "email",
          header: "Email address",
          rowHeader: true,
          cell: ({ email }) => <Address email={email} />,
        },
        {
          key: "until",
          header: "Expires (UTC)",
          kind: "nowrap",
          cell: ({ expires_at: until, late }) => (
            <>
              {late ? "Expired " : ""}
              <DateText at={until} />
            </>
          ),
        },
        {
          key: "withdraw",
          header: "Actions",
          hideHeader: true,
          cell: ({ id, email }) => (
            <PostForm intent="withdraw">
              <input type="hidden" name="invitation" value={id} />
              <SubmitButton variant="quiet" about={email}>
                Cancel
              </SubmitButton>
            </PostForm>
          ),
        },
      ]}
    />
  );
}
