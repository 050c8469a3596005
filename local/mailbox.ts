import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

import { linksOf, textOf } from "./html";

/** An email that was sent. */
export interface Mail {
  id: string;
  /** When it was sent, in ISO 8601. */
  at: string;
  to: string;
  subject: string;
  html: string;
  /** Its plain text; when it has none, the text of its HTML. */
  text: string;
  /** The URLs of its links, in order. */
  links: string[];
  /** Its headers with names in lower case (`list-unsubscribe`), when it was received by SMTP. */
  headers?: Record<string, string>;
}

const MAX_STORED = 500;

/**
 * Stores every email that the stand-ins send; none goes anywhere else. With a file, the last 500
 * survive a restart: each is a line of JSON that is appended, so a crash costs one line at most.
 */
export class Mailbox {
  /** In the order in which they were sent. It is always the same array. */
  readonly mails: Mail[] = [];
  readonly #file: string | undefined;

  constructor(options: { file?: string } = {}) {
    this.#file = options.file;
    if (!this.#file || !existsSync(this.#file)) return;
    const lines = readFileSync(this.#file, "utf8").split("\n").filter(Boolean);
    for (const line of lines.slice(-MAX_STORED)) {
      const mail = readLine(line);
      if (mail) this.mails.push(mail);
    }
    if (lines.length !== this.mails.length) this.#rewrite(this.#file);
  }

  /** Stores an email, from the auth service of the stand-in or by SMTP from the app. */
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
    if (this.mails.length > MAX_STORED) {
      this.mails.splice(0, this.mails.length - MAX_STORED);
      if (this.#file) this.#rewrite(this.#file);
    } else if (this.#file) {
      appendFileSync(this.#file, `${JSON.stringify(mail)}\n`, { mode: 0o600 });
    }
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
    // The process was killed while it wrote the last line.
    return undefined;
  }
}
