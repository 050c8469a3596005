import { SubmitButton } from "~/components/forms/submit-button";
import { DataTable, type Column } from "~/components/ui/data-table";
import { LongText } from "~/components/ui/long-text";
import { DateText } from "~/components/ui/date-text";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { isolate } from "~/text/isolate";

import type { Feedback } from "./feedback.server";

interface FeedbackTableProps {
  caption: string;
  rows: Feedback[];
  /** The label of the button in each row. */
  actionLabel: string;
  /** The ids that were selected in a form with an error. */
  selected: readonly unknown[];
}

const formatAuthor = ({ user, user_name }: Feedback) =>
  user === null ? "No account" : user_name || "No name given";
const rowLabel = (feedback: Feedback) => `${formatAuthor(feedback)} (${feedback.id})`;

/** Feedback about the app, inside of the form that archives or reopens it. */
export function FeedbackTable({ caption, rows, actionLabel, selected }: FeedbackTableProps) {
  const columns: Column<Feedback>[] = [
    {
      key: "choose",
      header: "Select",
      hideHeader: true,
      cell: (feedback) => (
        <RowCheckbox
          name="feedback"
          value={String(feedback.id)}
          label={`Select feedback from ${isolate(rowLabel(feedback))}`}
          defaultChecked={selected.includes(String(feedback.id))}
        />
      ),
    },
    {
      key: "user",
      header: "User",
      rowHeader: true,
      cell: (feedback) =>
        feedback.user === null ? (
          formatAuthor(feedback)
        ) : (
          <TextLink to={paths.adminUser(feedback.user)}>{formatAuthor(feedback)}</TextLink>
        ),
    },
    {
      key: "feedback",
      header: "Feedback",
      kind: "sentences",
      cell: (feedback) => (
        <LongText about={`feedback from ${rowLabel(feedback)}`}>{feedback.feedback}</LongText>
      ),
    },
    {
      key: "date",
      header: "Date (UTC)",
      kind: "nowrap",
      cell: ({ created_at }) => <DateText at={created_at} />,
    },
    { key: "version", header: "App Version", kind: "long", cell: ({ os }) => os },
    {
      key: "action",
      header: "Action",
      hideHeader: true,
      kind: "nowrap",
      cell: (feedback) => (
        <SubmitButton
          variant="quiet"
          name="only"
          value={String(feedback.id)}
          about={rowLabel(feedback)}
        >
          {actionLabel}
        </SubmitButton>
      ),
    },
  ];
  return (
    <DataTable
      className="messages"
      caption={caption}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
    />
  );
}
