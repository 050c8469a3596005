import type { z } from "zod";

import { isolate } from "~/text/isolate";
import { keepTogether } from "~/text/keep-together";
import { toLines } from "~/text/one-line";

/** A paragraph that is a link. */
interface LinkParagraph {
  text: string;
  url: string;
}

/** The content of an email, before it is rendered as HTML and plain text. */
export interface EmailContent {
  /** Anyone who sees the recipient's lock screen can read it: it must not reveal the directory. */
  subject: string;
  paragraphs: (string | LinkParagraph)[];
  /** The link that the email is about, shown as a button. The URL is absolute. */
  action?: { label: string; url: string };
  /** Why the recipient gets it, where it goes to an address and not to an account or a listing. It names no directory. */
  because?: string;
}

export interface EmailContext {
  /** The origin of the dashboard, without a trailing slash. */
  appUrl: string;
}

/** Makes the content of an email from its data. Throws when the data is not what it needs. */
export interface EmailTemplate {
  (data: unknown, context: EmailContext): EmailContent;
  /** The data that it needs. */
  schema: z.ZodType;
}

/**
 * Defines an email template.
 * @param schema the data that it needs
 * @param write makes the content
 */
export function defineEmail<Data>(
  schema: z.ZodType<Data>,
  write: (data: Data, context: EmailContext) => EmailContent,
): EmailTemplate {
  const template = (data: unknown, context: EmailContext) => write(schema.parse(data), context);
  return Object.assign(template, { schema });
}

interface RenderedEmail {
  text: string;
  html: string;
}

/**
 * Renders an email as HTML and as plain text. Everything is escaped, so that what users typed can't
 * become markup. Mail programs show the beginning of an email beside its subject; a hidden
 * preheader gives them a neutral text.
 */
export function renderEmail(
  content: Omit<EmailContent, "subject" | "because"> & {
    greeting: string;
    /** Why the recipient gets it. */
    reason: string;
    /** For emails that can be turned off. */
    unsubscribeLink: string | null;
  },
): RenderedEmail {
  const { action, reason, unsubscribeLink } = content;
  const greeting = keepOrder(content.greeting);
  const paragraphs = content.paragraphs.map((one) =>
    typeof one === "string" ? keepOrder(one) : one,
  );
  const text = [
    greeting,
    ...paragraphs.map((one) => (typeof one === "string" ? one : `${one.text}: ${one.url}`)),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    `-- \n${[reason, ...(unsubscribeLink ? [`Unsubscribe: ${unsubscribeLink}`] : [])].join("\n")}`,
  ].join("\n\n");
  const button = action
    ? `<p style="margin: 24px 0;"><a href="${escapeHtml(action.url)}" style="${BUTTON_STYLE}">${escapeHtml(action.label)}</a></p>
      <p style="${SMALL_STYLE}">If the button doesn’t work, copy this link into your browser:<br>
        <span style="overflow-wrap: anywhere;">${escapeHtml(action.url)}</span></p>`
    : "";
  const unsubscribe = unsubscribeLink
    ? `<br>${renderParagraph({ text: "Unsubscribe", url: unsubscribeLink })}`
    : "";
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${PREHEADER}</title>
  </head>
  <body style="margin: 0; padding: 24px 16px; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;">
    <div style="display: none; max-height: 0; overflow: hidden;">${PREHEADER}${"&#8199;&#847; ".repeat(PREHEADER_PADDING)}</div>
    <main style="max-width: 32em; margin: 0 auto; overflow-wrap: anywhere; text-wrap-style: pretty;">
      ${[greeting, ...paragraphs].map((one) => `<p style="white-space: pre-line;">${renderParagraph(one)}</p>`).join("\n      ")}
      ${button}
      <p style="${SMALL_STYLE} margin-top: 32px; padding-top: 16px; border-top: 1px solid #948699;">${escapeHtml(reason)}${unsubscribe}</p>
    </main>
  </body>
</html>
`;
  // Plain text is searched and copied, with spaces as they are typed.
  return { text: `${text.replaceAll("\u00a0", " ")}\n`, html };
}

const renderParagraph = (one: string | LinkParagraph) =>
  typeof one === "string"
    ? escapeHtml(one.replace(DATE, keepTogether))
    : `<a href="${escapeHtml(one.url)}" style="color: inherit;">${escapeHtml(one.text)}</a>`;

/**
 * A paragraph without characters that change the direction of text, except for those that isolate a
 * name (isolate).
 */
const keepOrder = (text: string) =>
  text
    .split(/(\u2068[^\u2068\u2069]*\u2069)/)
    .map((part, index) => (index % 2 ? isolate(toLines(part)) : toLines(part)))
    .join("");

/** A day and month, with or without a year, which stay on one line: "Dec 24", "December 24, 2026". */
const DATE = /\b[A-Z][a-z]{2,8} \d{1,2}(?:, \d{4})?\b/g;

const PREHEADER = "Tap to read";
/** Enough invisible characters to keep the email's text out of the preview. */
const PREHEADER_PADDING = 60;
const BUTTON_STYLE =
  "display: inline-block; padding: 12px 20px; border-radius: 12px; background: #6b2fa0; color: #ffffff; " +
  "font-weight: 600; text-decoration: none;";
const SMALL_STYLE = "font-size: 14px;";

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
