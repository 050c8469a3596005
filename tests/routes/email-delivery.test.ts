/** When the app sends the emails of its queue by itself. */
import { afterEach, expect, it, vi } from "vitest";

import { createWorld } from "../support/world";

const world = await createWorld();
const { startEmailDelivery } = await import("~/modules/emails/deliver-queue.server");
afterEach(() => vi.useRealTimers());

it("sends an email that becomes due without another action, within a minute", async () => {
  const owner = await world.owner();
  await world.sql(
    "select private.enqueue_email($1, null, 'account-deletion', 'test:1', jsonb_build_object('due_at', now()))",
    [owner.id],
  );
  const mails = () => world.supabase.mails.filter(({ to }) => to === owner.email).length;
  const before = mails();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const stop = startEmailDelivery();
  vi.advanceTimersByTime(59_000);
  expect(mails()).toBe(before);
  vi.advanceTimersByTime(1_000);
  vi.useRealTimers();
  await expect.poll(mails, { timeout: 20_000 }).toBe(before + 1);
  stop();
});
