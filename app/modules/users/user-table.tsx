import { PostForm } from "~/components/forms/form";
import { Badge } from "~/components/ui/badge";
import { DataTable, type Column } from "~/components/ui/data-table";
import { DateText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { formatNumber } from "~/text/counts";

import { EmailAddress, PhoneNumber, RevealButton } from "./contact";
import type { Contact, ListedUser } from "./users.server";

interface UserTableProps {
  caption: string;
  users: ListedUser[];
  /** The URL of the page, for the form around the table. */
  here: string;
  /** The contact details that the admin asked for. */
  revealed: Contact | undefined;
}

const displayName = ({ name }: ListedUser) => name ?? "No name given";

/** Stands for an empty value: soft in a table, and left out of a card. */
const Nothing = ({ children }: { children: string }) => <span className="nothing">{children}</span>;

function formatOptIns({ sms_opted_in, opted_in }: ListedUser): string {
  return [sms_opted_in ? "SMS" : "", opted_in ? "Email" : ""].filter(Boolean).join(", ");
}

/** The list of users. Contact details are masked until an admin reveals them, one user at a time. */
export function UserTable({ caption, users, here, revealed }: UserTableProps) {
  const revealedFor = ({ id }: ListedUser) => (revealed?.id === id ? revealed : undefined);
  const columns: Column<ListedUser>[] = [
    {
      key: "name",
      header: "Name",
      rowHeader: true,
      cell: (user) => (
        <span id={`user-${user.id}`}>
          <TextLink to={paths.adminUser(user.id)}>{displayName(user)}</TextLink>{" "}
          {user.pronouns ? <bdi className="hint">{`Pronouns: ${user.pronouns}`}</bdi> : null}{" "}
          {user.admin ? <Badge>Admin</Badge> : null}{" "}
          {user.confirmed ? null : <Badge tone="waiting">Not confirmed</Badge>}
        </span>
      ),
    },
    {
      key: "email",
      header: "Email",
      kind: "long",
      cell: (user) => <EmailAddress masked={user.email} revealed={revealedFor(user)} />,
    },
    {
      key: "phone",
      header: "Phone",
      kind: "nowrap",
      cell: (user) =>
        user.phone ? (
          <PhoneNumber masked={user.phone} revealed={revealedFor(user)} />
        ) : (
          <Nothing>No phone</Nothing>
        ),
    },
    {
      key: "reveal",
      header: "Contact",
      hideHeader: true,
      kind: "nowrap",
      cell: (user) =>
        user.email || user.phone ? (
          <RevealButton
            id={user.id}
            name={displayName(user)}
            revealed={revealedFor(user) !== undefined}
            action={`${here}#user-${user.id}`}
          />
        ) : null,
    },
    {
      key: "opt-ins",
      header: "Opt-ins",
      kind: "nowrap",
      cell: (user) => formatOptIns(user) || <Nothing>None</Nothing>,
    },
    {
      key: "supporter",
      header: "Supporter",
      cell: ({ supporter }) => (supporter ? "Yes" : <Nothing>No</Nothing>),
    },
    {
      key: "favorites",
      header: "Favorites",
      kind: "number",
      cell: ({ favorites }) =>
        favorites > 0 ? `${formatNumber(favorites)}+` : <Nothing>{"< 10"}</Nothing>,
    },
    {
      key: "joined",
      header: "Joined",
      kind: "nowrap",
      cell: ({ created_at }) => <DateText at={created_at} />,
    },
  ];
  return (
    <PostForm intent="reveal">
      <DataTable
        className="users"
        caption={caption}
        columns={columns}
        rows={users}
        rowKey={({ id }) => id}
      />
    </PostForm>
  );
}
