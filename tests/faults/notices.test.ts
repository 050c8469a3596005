/** The mail server fails, hangs, or has no such mailbox: no email is lost or sent twice. */
import { createServer, type Socket } from "node:net";

import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { z } from "zod";

import { createWorld } from "../support/world";

type Mood =
  | "takes"
  | "hangs"
  | "breaks off"
  | "knows no such mailbox"
  | "is overloaded"
  | "wants no strangers"
  | "takes it for spam";
let mood: Mood = "takes";
const taken: string[] = [];

/** A minimal mail server. */
const server = createServer((socket: Socket) => {
  socket.on("error", () => undefined);
  if (mood === "hangs") return;
  if (mood === "breaks off") return void socket.destroy();
  let message: string | undefined;
  const say = (words: string) => socket.write(`${words}\r\n`);
  say("220 mail.test");
  socket.setEncoding("utf8").on("data", (text: string) => {
    if (message !== undefined) {
      message += text;
      if (!message.endsWith("\r\n.\r\n")) return;
      if (mood === "takes it for spam" && message.includes("Cheap pills")) {
        message = undefined;
        return void say("554 5.7.1 Message rejected as spam");
      }
      taken.push(message);
      message = undefined;
      say("250 Taken");
    } else if (text.startsWith("RCPT") && mood === "knows no such mailbox")
      say("550 5.1.1 <rosa@example.test> no such mailbox");
    else if (text.startsWith("RCPT") && mood === "is overloaded") say("451 4.3.2 Come back later");
    else if (text.startsWith("RCPT") && mood === "wants no strangers" && !text.includes("rosa@"))
      say("450 4.1.2 Recipient address rejected: domain not found");
    else if (text.startsWith("DATA")) {
      message = "";
      say("354 Go on");
    } else say("250 Fine");
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as { port: number };
afterAll(() => server.close());

const world = await createWorld({ env: { SMTP_URL: `smtp://127.0.0.1:${port}` } });
const { defineEmail } = await import("~/modules/emails/render-email.server");
const { emailTemplates } = await import("~/modules/emails/templates.server");
const { triggerEmailDelivery, settleEmailDelivery, deliverEmailQueue } =
  await import("~/modules/emails/deliver-queue.server");
emailTemplates["test-letter"] = defineEmail(
  z.object({ name: z.string() }),
  ({ name }, { appUrl }) => ({
    subject: "There is news",
    paragraphs: [`About ${name}`],
    action: { label: "Look at it", url: `${appUrl}/listings?a=1&b=2` },
  }),
);
const rosa = await world.owner({ email: "rosa@example.test", fullName: "Rosa <b>" });

let occasions = 0;
async function notify(kind = "test-letter", data: object = { name: "Café <i>X</i>" }) {
  await world.sql("select private.enqueue_email($1, null, $2, $3, $4::jsonb)", [
    rosa.id,
    kind,
    `test:${(occasions += 1)}`,
    JSON.stringify(data),
  ]);
}
const state = async () =>
  (
    await world.sql(`select sent_at is not null as sent, attempts,
    case when next_try_at = 'infinity' then 'never' when next_try_at > now() then 'later' else 'now' end as next from private.email_queue`)
  )[0];

beforeEach(async () => {
  mood = "takes";
  taken.length = 0;
  await world.sql("delete from private.email_queue");
  vi.restoreAllMocks();
});

/** Makes long deadlines a hundred times shorter. */
function hurry() {
  const original = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) =>
    original(ms > 10_000 ? ms / 100 : ms),
  );
}

it("sends an email once, as HTML and as plain text, with its text escaped", async () => {
  await notify();
  expect(
    await Promise.all([deliverEmailQueue(), deliverEmailQueue(), deliverEmailQueue()]),
  ).toContainEqual({ sent: 1, failed: 0 });
  expect(taken).toHaveLength(1);
  const mail = taken[0]!.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  expect(mail).toContain("Subject: There is news");
  expect(mail).toMatch(/To: "?Rosa <b>"? <rosa@example\.test>/);
  expect(mail).toContain("Auto-Submitted: auto-generated");
  expect(mail).toMatch(/Message-ID: <[\w-]+@dashboard\.test>/);
  expect(mail).toContain("Hello Rosa <b>,\r\n\r\nAbout Café <i>X</i>".replace("é", "=C3=A9"));
  expect(mail).toContain("Hello Rosa &lt;b&gt;,</p>");
  expect(mail).toContain("About Caf=C3=A9 &lt;i&gt;X&lt;/i&gt;</p>");
  expect(mail).toContain('href="http://dashboard.test/listings?a=1&amp;b=2"');
});

it.each<Mood>(["breaks off", "is overloaded"])(
  "retries an email later when the mail server %s",
  async (now) => {
    mood = now;
    await notify();
    expect(await deliverEmailQueue()).toEqual({ sent: 0, failed: 1 });
    expect(await state()).toEqual({ sent: false, attempts: 1, next: "later" });
    mood = "takes";
    await world.sql("update private.email_queue set next_try_at = now()");
    expect(await deliverEmailQueue()).toEqual({ sent: 1, failed: 0 });
  },
);

it("does not retry an email whose mailbox does not exist", async () => {
  mood = "knows no such mailbox";
  await notify();
  expect(await deliverEmailQueue()).toEqual({ sent: 0, failed: 1 });
  expect(await state()).toEqual({ sent: false, attempts: 1, next: "never" });
});

it("waits a short time for a mail server that hangs, and does not delay the action", async () => {
  hurry();
  mood = "hangs";
  await notify();
  expect(triggerEmailDelivery()).toBeUndefined();
  expect(await rosa.page("/account")).toHaveStatus(200);
  await settleEmailDelivery();
  expect(await state()).toEqual({ sent: false, attempts: 1, next: "later" });
});

it("stops when the mail server is down, and leaves the rest of the batch for later", async () => {
  mood = "breaks off";
  for (let n = 0; n < 6; n += 1) await notify();
  expect(await deliverEmailQueue()).toEqual({ sent: 0, failed: 3 });
});

it("counts no try of an email that it has not tried, so that no email waits for hours after a short outage", async () => {
  mood = "breaks off";
  for (let n = 0; n < 6; n += 1) await notify();
  await deliverEmailQueue();
  expect(await world.sql("select sum(attempts)::int as tries from private.email_queue")).toEqual([
    { tries: 3 },
  ]);
  mood = "takes";
  expect(await deliverEmailQueue()).toEqual({ sent: 3, failed: 0 });
});

it("sends the others their emails, however many addresses the mail server refuses for now", async () => {
  mood = "wants no strangers";
  for (const stranger of ["a", "b", "c", "d"]) {
    await world.sql("select private.enqueue_account_email($1, 'sign-in-help', $2, $3::jsonb)", [
      `${stranger}@unknown.test`,
      `test:${stranger}`,
      JSON.stringify({ user: rosa.id }),
    ]);
  }
  await notify();
  expect(await deliverEmailQueue()).toEqual({ sent: 1, failed: 4 });
});

it("sends the others their emails, however many the mail server refuses for what they say", async () => {
  mood = "takes it for spam";
  for (let n = 0; n < 4; n += 1) await notify("test-letter", { name: "Cheap pills" });
  await notify();
  expect(await deliverEmailQueue()).toEqual({ sent: 1, failed: 4 });
  // Until someone changes the words, or the server's mind.
  expect(
    await world.sql(
      "select count(*)::int as n from private.email_queue where sent_at is null and next_try_at < now() + interval '1 hour'",
    ),
  ).toEqual([{ n: 4 }]);
});

it("sends the others their emails, however many can’t be composed", async () => {
  for (let n = 0; n < 4; n += 1) await notify("test-letter", { name: 7 });
  await notify();
  expect(await deliverEmailQueue()).toEqual({ sent: 1, failed: 4 });
});

it("leaves emails in the queue that only a newer version of the dashboard has a template for", async () => {
  await notify("letter-of-tomorrow");
  await notify("test-letter", { name: 7 });
  await notify();
  expect(await deliverEmailQueue()).toEqual({ sent: 1, failed: 2 });
  expect(
    await world.sql(
      "select count(*)::int as n from private.email_queue where sent_at is null and next_try_at < now() + interval '1 hour'",
    ),
  ).toEqual([{ n: 2 }]);
});
