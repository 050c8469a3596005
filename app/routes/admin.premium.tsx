import { queuePage } from "~/modules/moderation/queue/queue-page";
import { queueRoute } from "~/modules/moderation/queue/queue.server";

const { loader, action } = queueRoute("premium");
const { handle, Page } = queuePage("Premium", "Featured listings, longest-running first.");

export { action, handle, loader, Page as default };
