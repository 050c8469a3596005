import type { z } from "zod";

/** What a letter says, before it is put into HTML and plain text. */
export interface EmailContent {
  /** Read by anybody who sees the lock screen of a phone: it outs nobody and does not name the directory. */
  subject: string;
  paragraphs: string[];
  /** The one thing to do, as a button. The address is absolute. */
  action?: { label: string; url: string };
  /** Why they get it, where that is not because of their account or something they have here. */
  because?: string;
}

export interface EmailContext {
  /** Address of the dashboard, without a trailing slash. */
  appUrl: string;
}

/** Writes a letter of what its notice says. @throws when the notice does not say what the letter needs */
export type EmailTemplate = (data: unknown, context: EmailContext) => EmailContent;

/** A letter of one kind: what its notice must say, and what is made of it. */
export function defineEmail<Data>(
  says: z.ZodType<Data>,
  write: (data: Data, context: EmailContext) => EmailContent,
): EmailTemplate {
  return (data, context) => write(says.parse(data), context);
}

interface RenderedEmail {
  text: string;
  html: string;
}

/**
 * A letter in HTML and in plain text. Everything given is plain words: names and texts that people
 * typed arrive as they are and can't become markup. Where a mail program shows how an e-mail begins,
 * beside its subject, it gets neutral words to show.
 */
export function renderEmail(
  letter: Omit<EmailContent, "subject" | "because"> & { greeting: string; footer: string[] },
): RenderedEmail {
  const { greeting, paragraphs, action, footer } = letter;
  const text = [
    greeting,
    ...paragraphs,
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    `-- \n${footer.join("\n")}`,
  ].join("\n\n");
  const button = action
    ? `<p style="margin: 24px 0;"><a href="${escaped(action.url)}" style="${BUTTON}">${escaped(action.label)}</a></p>
      <p style="${SOFT}">If the button does not work, copy this address into your browser:<br>
        <span style="overflow-wrap: anywhere;">${escaped(action.url)}</span></p>`
    : "";
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${PREVIEW}</title>
  </head>
  <body style="margin: 0; padding: 24px 16px; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;">
    <div style="display: none; max-height: 0; overflow: hidden;">${PREVIEW}${"&#8199;&#847; ".repeat(PREVIEW_FILL)}</div>
    <main style="max-width: 32em; margin: 0 auto; overflow-wrap: anywhere;">
      ${[greeting, ...paragraphs].map((words) => `<p style="white-space: pre-line;">${escaped(words)}</p>`).join("\n      ")}
      ${button}
      <p style="${SOFT} margin-top: 32px; padding-top: 16px; border-top: 1px solid #e7dfd6;">${footer.map(escaped).join("<br>")}</p>
    </main>
  </body>
</html>
`;
  return { text: `${text}\n`, html };
}

const PREVIEW = "Open this e-mail to read it.";
/** As much nothing as keeps the letter itself out of the preview. */
const PREVIEW_FILL = 60;
const BUTTON =
  "display: inline-block; padding: 12px 20px; border-radius: 12px; background: #6b2fa0; color: #ffffff; " +
  "font-weight: 600; text-decoration: none;";
const SOFT = "font-size: 14px;";

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(words: string): string {
  return words.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
