import { DataTable } from "~/components/ui/data-table";

import { formatDate, toDateTime } from "~/text/dates";

import type { Consent } from "./my-data.server";

const CHANNELS: Record<string, string> = {
  email: "News by email",
  sms: "Text messages",
  tracking: "Sharing with advertising and email services",
};

/** The user's consents, the newest first. */
export function ConsentRecord({ consents }: { consents: Consent[] }) {
  if (consents.length === 0) return <p>We haven’t asked for your consent yet.</p>;
  return (
    <DataTable
      caption="Your consent history"
      hideCaption
      rows={consents}
      rowKey={({ channel, at }) => `${channel} ${at}`}
      columns={[
        {
          key: "day",
          header: "Date",
          kind: "nowrap",
          cell: ({ at }) => <time dateTime={toDateTime(at)}>{formatDate(at)}</time>,
        },
        {
          key: "channel",
          header: "Consent to",
          rowHeader: true,
          cell: ({ channel }) => CHANNELS[channel] ?? channel,
        },
        { key: "granted", header: "Your answer", cell: ({ granted }) => (granted ? "Yes" : "No") },
        {
          key: "version",
          header: "Version",
          kind: "nowrap",
          cell: ({ text_version: version }) => version,
        },
        { key: "page", header: "Page", cell: ({ page }) => page },
      ]}
    />
  );
}
