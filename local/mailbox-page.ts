import { escapeHtml } from "./html";
import { localPage } from "./local-page";
import type { Mail } from "./mailbox";

/** The mailbox page: every email that would have been sent, newest first. */
export function mailboxList(mails: readonly Mail[], appUrl: string): Response {
  const newest = [...mails].reverse();
  const items = newest
    .map(
      (mail) => `<li>
      <a href="/mailbox/${escapeHtml(mail.id)}"><span class="subject">${escapeHtml(mail.subject)}</span>
      <span class="to">to ${escapeHtml(mail.to)}</span></a>
      ${time(mail)}
    </li>`,
    )
    .join("\n");
  const body =
    newest.length === 0
      ? `<p>No emails yet. They’ll appear here when the dashboard sends one, such as after a sign-up or a password reset.</p>`
      : `<ol class="mails">${items}</ol>`;
  return page(
    "Mailbox",
    `<h1>Mailbox</h1>
     <p>Emails don’t leave this machine. Everything the dashboard sends appears here, newest first.
     <a href="${escapeHtml(appUrl)}">Back to the dashboard</a> · <a href="/payments">Payments</a></p>
     ${body}`,
  );
}

/**
 * The page of one email, or a 404 without one. The HTML of the email is in a sandboxed frame
 * without script; its links open a new tab.
 */
export function mailboxMail(mail: Mail | undefined): Response {
  if (!mail) {
    return page(
      "Email not found",
      `<h1>Email not found</h1>
       <p>It may have been removed with older data. <a href="/mailbox">All emails</a></p>`,
      404,
    );
  }
  const links = mail.links
    .map((link) => `<li><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></li>`)
    .join("\n");
  const framed = `<base target="_blank">${mail.html}`;
  return page(
    mail.subject,
    `<p><a href="/mailbox">All emails</a></p>
     <h1>${escapeHtml(mail.subject)}</h1>
     <dl>
       <dt>To</dt><dd>${escapeHtml(mail.to)}</dd>
       <dt>Sent</dt><dd>${time(mail)}</dd>
     </dl>
     ${links ? `<h2>Links in this email</h2><ul class="links">${links}</ul>` : ""}
     <h2>Preview</h2>
     <iframe title="Preview of the email" srcdoc="${escapeHtml(framed)}"
       sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
     <h2>Plain text</h2>
     <pre>${escapeHtml(mail.text)}</pre>`,
  );
}

function time(mail: Mail): string {
  const words = new Date(mail.at).toLocaleString("en-US", {
    dateStyle: "medium",
    timeStyle: "medium",
  });
  return `<time datetime="${escapeHtml(mail.at)}">${escapeHtml(words)}</time>`;
}

const page = (title: string, body: string, status?: number): Response =>
  localPage(`${title} · local mailbox`, body, status);
