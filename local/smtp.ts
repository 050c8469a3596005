import type { AddressInfo, Server } from "node:net";
import { buffer } from "node:stream/consumers";

import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";

import type { Mailbox } from "./mailbox";

interface MailListener {
  /** SMTP_URL, on 127.0.0.1. */
  url: string;
  close(): Promise<void>;
}

/**
 * Receives emails by SMTP on 127.0.0.1, as a mail server would, and stores them in the mailbox.
 * None leaves the machine.
 * @param port a port number (0 for any free one), or a server that already listens
 */
export async function listenForMail(
  port: number | Server,
  mailbox: Pick<Mailbox, "send">,
): Promise<MailListener> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    onData(stream, session, done) {
      const stored = buffer(stream).then(async (raw) => {
        const { subject = "", html = "", text = "", headers: all } = await PostalMime.parse(raw);
        const headers = Object.fromEntries(all.map(({ key, value }) => [key, value]));
        for (const { address } of session.envelope.rcptTo)
          mailbox.send({ to: address, subject, html, text, headers });
      });
      stored.then(() => done(), done);
    },
  });
  // A client that disconnects is no problem of the server.
  server.on("error", () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.server.once("error", reject);
    const opened = () => {
      server.server.off("error", reject);
      resolve();
    };
    if (typeof port === "number") server.listen(port, "127.0.0.1", opened);
    else server.server.listen(port, opened);
  });
  const address = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
