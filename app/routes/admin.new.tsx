import { queuePage } from "~/modules/moderation/queue/queue-page";
import { queueRoute } from "~/modules/moderation/queue/queue.server";

const { loader, action } = queueRoute("new");
const { handle, Page } = queuePage(
  "New",
  "Listings that nobody has decided on yet, the longest waiting first.",
);

export { action, handle, loader, Page as default };
