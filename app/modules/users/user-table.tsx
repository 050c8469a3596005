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

const yesOrNo = (value: boolean) => (value ? "Yes" : "No");
const displayName = ({ name }: ListedUser) => name ?? "No name given";

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
          {user.admin ? <Badge>Admin</Badge> : null}{" "}
          {user.confirmed ? null : <Badge tone="waiting">Not confirmed</Badge>}
        </span>
      ),
    },
    { key: "pronouns", header: "Pronouns", nowrap: true, cell: ({ pronouns }) => pronouns },
    {
      key: "phone",
      header: "Phone",
      nowrap: true,
      cell: (user) => <PhoneNumber masked={user.phone} revealed={revealedFor(user)} />,
    },
    {
      key: "email",
      header: "Email",
      nowrap: true,
      cell: (user) => <EmailAddress masked={user.email} revealed={revealedFor(user)} />,
    },
    {
      key: "reveal",
      header: "Contact",
      hideHeader: true,
      nowrap: true,
      cell: (user) =>
        user.email || user.phone ? (
          <RevealButton
            variant="link"
            id={user.id}
            name={displayName(user)}
            revealed={revealedFor(user) !== undefined}
            action={`${here}#user-${user.id}`}
          />
        ) : null,
    },
    { key: "sms-opt-in", header: "SMS opt-in", cell: ({ sms_opted_in }) => yesOrNo(sms_opted_in) },
    { key: "email-opt-in", header: "Email opt-in", cell: ({ opted_in }) => yesOrNo(opted_in) },
    { key: "supporter", header: "Supporter", cell: ({ supporter }) => yesOrNo(supporter) },
    {
      key: "favorites",
      header: "Favorites",
      align: "number",
      cell: ({ favorites }) => formatNumber(favorites),
    },
    {
      key: "joined",
      header: "Joined (UTC)",
      nowrap: true,
      cell: ({ created_at }) => <DateText at={created_at} />,
    },
  ];
  return (
    <PostForm intent="reveal">
      <DataTable caption={caption} columns={columns} rows={users} rowKey={({ id }) => id} />
    </PostForm>
  );
}
