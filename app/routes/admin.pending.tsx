import { queuePage } from "~/modules/moderation/queue/queue-page";
import { queueRoute } from "~/modules/moderation/queue/queue.server";

const { loader, action } = queueRoute("pending");
const { handle, Page } = queuePage(
  "Pending Updates",
  "Edits to published listings. The public sees the old version until you approve.",
);

export { action, handle, loader, Page as default };
