import { escapeHtml } from "./html";
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

const STYLE = `
  :root { color-scheme: light dark; --ink: #26222e; --soft: #5c5668; --paper: #faf9fc;
    --line: #d8d3e0; --link: #5a2ca0; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #ece9f2; --soft: #b3acc2; --paper: #1b1820; --line: #423b50; --link: #c9a8ff; }
  }
  body { margin: 0 auto; max-width: 46rem; padding: 2rem 1rem 4rem; background: var(--paper);
    color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
  h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.1rem; margin-top: 2rem; }
  a { color: var(--link); } a:focus-visible, iframe:focus-visible { outline: 3px solid var(--link);
    outline-offset: 2px; }
  .mails { list-style: none; padding: 0; border-top: 1px solid var(--line); }
  .mails li { border-bottom: 1px solid var(--line); padding: .75rem 0; display: flex; gap: .25rem 1rem;
    flex-wrap: wrap; justify-content: space-between; align-items: baseline; }
  .subject { font-weight: 600; } .to, time, dt { color: var(--soft); }
  .mails a { display: block; padding: .25rem 0; }
  .links a { display: inline-block; padding: .25rem 0; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; } dd { margin: 0; }
  iframe { width: 100%; height: 24rem; border: 1px solid var(--line); background: #fff; }
  pre { white-space: pre-wrap; border: 1px solid var(--line); padding: 1rem; margin: 0; }
`;

function page(title: string, body: string, status = 200): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escapeHtml(title)} · local mailbox</title>
  <style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      // The links sign people in, so no URL of this page may reach another site.
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
      "Content-Security-Policy":
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    },
  });
}
