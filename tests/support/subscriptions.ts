/**
 * The app subscribes to what Node tells of each request (`node:diagnostics_channel`) and of the end of the
 * process (SIGTERM), for as long as that runs. Test files share a process, and each loads the app: what one
 * has subscribed to ends with it.
 */
import diagnostics, { type ChannelListener } from "node:diagnostics_channel";
import { syncBuiltinESMExports } from "node:module";

import { processWide } from "./process-wide";

const subscriptions = processWide("subscriptions", () => ({
  watched: false,
  current: [] as { name: string | symbol; listener: ChannelListener }[],
}));
const endings = process.listeners("SIGTERM");

/** From now on remembers every subscription. */
export function watchSubscriptions(): void {
  if (subscriptions.watched) return;
  subscriptions.watched = true;
  const subscribe = diagnostics.subscribe.bind(diagnostics);
  diagnostics.subscribe = (name, listener) => {
    subscriptions.current.push({ name, listener });
    subscribe(name, listener);
  };
  syncBuiltinESMExports();
}

/** Ends every subscription that the test file began. */
export function endSubscriptions(): void {
  for (const { name, listener } of subscriptions.current.splice(0))
    diagnostics.unsubscribe(name, listener);
  for (const listener of process.listeners("SIGTERM"))
    if (!endings.includes(listener)) process.off("SIGTERM", listener);
}
