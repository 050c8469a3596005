/** When the app sends the emails of its queue by itself. */
import type { AddressInfo } from "node:net";

import { SMTPServer } from "smtp-server";
import { afterEach, expect, it, vi } from "vitest";

import { createWorld } from "../support/world";

const world = await createWorld();
const { startEmailDelivery } = await import("~/modules/emails/deliver-queue.server");
const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
const { env } = await import("~/env.server");
const { log } = await import("~/http/log.server");
afterEach(() => vi.useRealTimers());

it("sends an email that becomes due without another action, within a minute", async () => {
  const owner = await world.owner();
  await world.sql(
    "select private.enqueue_email($1, null, 'two-step-changed', 'test:1', jsonb_build_object('change', 'off'))",
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
  await expect.poll(mails).toBe(before + 1);
  stop();
});

it("logs that an email was not sent without its recipient, whom the mail server names", async () => {
  const owner = await world.owner();
  await world.sql(
    "select private.enqueue_email($1, null, 'two-step-changed', 'test:2', jsonb_build_object('change', 'off'))",
    [owner.id],
  );
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _session, done) => done(new Error(`No room for <${address}>`)),
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const mail = env().mail!;
  const { smtpUrl } = mail;
  const warned = vi.spyOn(log(), "warn").mockImplementation(() => undefined);
  try {
    mail.smtpUrl = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
    expect(await deliverEmailQueue()).toEqual({ sent: 0, failed: 1 });
  } finally {
    mail.smtpUrl = smtpUrl;
    await new Promise<void>((resolve) => server.close(resolve));
  }
  expect(warned).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ reason: expect.stringContaining("No room for <[email]>") as string }),
    "email not sent",
  );
  expect(JSON.stringify(warned.mock.calls)).not.toContain(owner.email);
});
