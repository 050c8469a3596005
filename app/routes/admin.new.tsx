import { queuePage } from "~/modules/moderation/queue/queue-page";
import { queueRoute } from "~/modules/moderation/queue/queue.server";

const { loader, action } = queueRoute("new");
const { handle, Page } = queuePage("New", "New listings waiting for a first review.");

export { action, handle, loader, Page as default };
