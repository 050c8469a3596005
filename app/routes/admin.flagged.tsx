import { queuePage } from "~/modules/moderation/queue/queue-page";
import { queueRoute } from "~/modules/moderation/queue/queue.server";

const { loader, action } = queueRoute("flagged");
const { handle, Page } = queuePage("Flagged", "Listings our team has set aside.");

export { action, handle, loader, Page as default };
