import { queuePage } from "~/modules/moderation/queue/queue-page";
import { queueRoute } from "~/modules/moderation/queue/queue.server";

const { loader, action } = queueRoute("all");
const { handle, Page } = queuePage("All Listings", "Every listing, whatever its status.");

export { action, handle, loader, Page as default };
