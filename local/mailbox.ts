import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

import { linksOf, textOf } from "./html";

export interface Mail {
  id: string;
  /** When it was sent, ISO 8601. */
  at: string;
  to: string;
  subject: string;
  html: string;
  /** Its own plain text; without one, the HTML in plain words. */
  text: string;
  /** Where its links lead, in order. */
  links: string[];
  /**
   * What it asks of mail programs ("list-unsubscribe", …), by names in lower case; of e-mails that
   * came by SMTP.
   */
  headers?: Record<string, string>;
}

const KEPT = 500;

/**
 * Every e-mail the stand-in sends ends here and nowhere else. With a file, the last 500 survive a
 * restart: one JSON object a line, appended, so that a crash can cost one line at most.
 */
export class Mailbox {
  /** In the order they were sent. The same array for as long as the mailbox lives. */
  readonly mails: Mail[] = [];
  readonly #file: string | undefined;
  readonly #onMail: ((mail: Mail) => void) | undefined;

  constructor(options: { file?: string; onMail?: (mail: Mail) => void } = {}) {
    this.#file = options.file;
    this.#onMail = options.onMail;
    if (!this.#file || !existsSync(this.#file)) return;
    const lines = readFileSync(this.#file, "utf8").split("\n").filter(Boolean);
    for (const line of lines.slice(-KEPT)) {
      const mail = readLine(line);
      if (mail) this.mails.push(mail);
    }
    if (lines.length !== this.mails.length) this.#rewrite(this.#file);
  }

  /** Takes an e-mail in: from the stand-in's auth service, or as the mail server of the app. */
  send(message: {
    to: string;
    subject: string;
    html?: string;
    text?: string;
    headers?: Record<string, string>;
  }): Mail {
    const html = message.html ?? "";
    const mail: Mail = {
      id: randomUUID(),
      at: new Date().toISOString(),
      to: message.to,
      subject: message.subject,
      html,
      text: message.text || textOf(html),
      links: linksOf(html),
      ...(message.headers ? { headers: message.headers } : {}),
    };
    this.mails.push(mail);
    if (this.mails.length > KEPT) {
      this.mails.splice(0, this.mails.length - KEPT);
      if (this.#file) this.#rewrite(this.#file);
    } else if (this.#file) {
      appendFileSync(this.#file, `${JSON.stringify(mail)}\n`, { mode: 0o600 });
    }
    this.#onMail?.(mail);
    return mail;
  }

  #rewrite(file: string): void {
    const lines = this.mails.map((mail) => `${JSON.stringify(mail)}\n`).join("");
    writeFileSync(`${file}.new`, lines, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
}

function readLine(line: string): Mail | undefined {
  try {
    return JSON.parse(line) as Mail;
  } catch {
    // The last line of a process that was killed while it wrote.
    return undefined;
  }
}
