import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";
import { isolate } from "~/text/isolate";

/** A new lead. The message, the name, and the address of its sender stay in the dashboard. */
export const newLead = defineEmail(
  z.object({ lead_id: z.number(), name: z.string() }),
  ({ lead_id: id, name }, { appUrl }) => ({
    subject: "You have a new message",
    paragraphs: [`Someone sent a message to “${isolate(name)}”.`],
    action: { label: "Read the message", url: `${appUrl}${paths.lead(id)}` },
  }),
);
