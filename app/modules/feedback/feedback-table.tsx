import { SubmitButton } from "~/components/forms/submit-button";
import { DataTable, type Column } from "~/components/ui/data-table";
import { LongText } from "~/components/ui/long-text";
import { DateText } from "~/components/ui/date-text";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import type { Feedback } from "./feedback.server";

interface FeedbackTableProps {
  caption: string;
  rows: Feedback[];
  /** What the button of each row says. */
  actionLabel: string;
  /** The ids chosen in a form that came back. */
  chosen: readonly unknown[];
}

const writer = ({ user, user_name }: Feedback) =>
  user === null ? "No account" : user_name || "No name given";
const about = (feedback: Feedback) => `${writer(feedback)} (${feedback.id})`;

/** Feedback on the app; inside the form that puts it away or back. */
export function FeedbackTable({ caption, rows, actionLabel, chosen }: FeedbackTableProps) {
  const columns: Column<Feedback>[] = [
    {
      key: "choose",
      header: "Choose",
      hideHeader: true,
      cell: (feedback) => (
        <RowCheckbox
          name="feedback"
          value={String(feedback.id)}
          label={`Choose the feedback of ${about(feedback)}`}
          defaultChecked={chosen.includes(String(feedback.id))}
        />
      ),
    },
    {
      key: "user",
      header: "User",
      rowHeader: true,
      cell: (feedback) =>
        feedback.user === null ? (
          writer(feedback)
        ) : (
          <TextLink to={paths.adminUser(feedback.user)}>{writer(feedback)}</TextLink>
        ),
    },
    {
      key: "feedback",
      header: "Feedback",
      cell: (feedback) => (
        <LongText about={`feedback of ${about(feedback)}`}>{feedback.feedback}</LongText>
      ),
    },
    {
      key: "date",
      header: "Date (UTC)",
      nowrap: true,
      cell: ({ created_at }) => <DateText at={created_at} />,
    },
    { key: "version", header: "App Version", cell: ({ os }) => os },
    {
      key: "action",
      header: "Action",
      hideHeader: true,
      nowrap: true,
      cell: (feedback) => (
        <SubmitButton
          variant="link"
          name="only"
          value={String(feedback.id)}
          about={about(feedback)}
        >
          {actionLabel}
        </SubmitButton>
      ),
    },
  ];
  return <DataTable caption={caption} columns={columns} rows={rows} rowKey={({ id }) => id} />;
}
