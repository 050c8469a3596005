import type { AddressInfo, Server } from "node:net";
import { buffer } from "node:stream/consumers";

import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";

import type { Mailbox } from "./mailbox";

export interface MailListener {
  /** SMTP_URL, on 127.0.0.1. */
  url: string;
  close(): Promise<void>;
}

/**
 * Takes e-mails by SMTP on 127.0.0.1, as a mail server would, and puts them into the mailbox. None
 * leaves the machine.
 * @param door a port (0: any free one), or one that is listened on already
 */
export async function listenForMail(
  door: number | Server,
  mailbox: Pick<Mailbox, "send">,
): Promise<MailListener> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    onData(stream, session, done) {
      const taken = buffer(stream).then(async (raw) => {
        const { subject = "", html = "", text = "", headers: all } = await PostalMime.parse(raw);
        const headers = Object.fromEntries(all.map(({ key, value }) => [key, value]));
        for (const { address } of session.envelope.rcptTo)
          mailbox.send({ to: address, subject, html, text, headers });
      });
      taken.then(() => done(), done);
    },
  });
  // A client that breaks off is its own affair.
  server.on("error", () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.server.once("error", reject);
    const opened = () => {
      server.server.off("error", reject);
      resolve();
    };
    if (typeof door === "number") server.listen(door, "127.0.0.1", opened);
    else server.server.listen(door, opened);
  });
  const { port: taken } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${taken}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
