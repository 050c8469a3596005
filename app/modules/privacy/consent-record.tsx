import { DataTable } from "~/components/ui/data-table";

import { formatLongDate } from "~/text/dates";

import type { Consent } from "./my-data.server";

const CHANNELS: Record<string, string> = {
  email: "News by e-mail",
  sms: "Text messages",
  tracking: "Telling advertising and e-mail services",
};

/** The user's consents, the newest first. */
export function ConsentRecord({ consents }: { consents: Consent[] }) {
  if (consents.length === 0) return <p>You have not been asked for anything yet.</p>;
  return (
    <DataTable
      caption="What you said yes and no to"
      hideCaption
      rows={consents}
      rowKey={({ channel, at }) => `${channel} ${at}`}
      columns={[
        {
          key: "day",
          header: "Day",
          nowrap: true,
          cell: ({ at }) => <time dateTime={at}>{`${formatLongDate(at)} (UTC)`}</time>,
        },
        {
          key: "channel",
          header: "For",
          rowHeader: true,
          cell: ({ channel }) => CHANNELS[channel] ?? channel,
        },
        { key: "granted", header: "Your answer", cell: ({ granted }) => (granted ? "Yes" : "No") },
        {
          key: "version",
          header: "Words of",
          nowrap: true,
          cell: ({ text_version: version }) => version,
        },
        { key: "page", header: "Where", cell: ({ page }) => page },
      ]}
    />
  );
}
