import { type Markup, markup } from "../../markup";
import { page } from "./page";

const PAGES = [
  ["/events", "Events"],
  ["/payments", "Payments"],
  ["/mailbox", "Mailbox"],
] as const;

/** The frame of the pages that play the team's side, with the way between them. */
export function backOffice(
  title: string,
  appUrl: string | null,
  body: Markup,
  status = 200,
): Response {
  return page(
    title,
    markup`<nav aria-label="Pages"><p class="row">
      ${PAGES.map(([path, name]) => markup`<a href="${path}">${name}</a>`)}
      ${appUrl && markup`<a href="${appUrl}">Back to the dashboard</a>`}
    </p></nav>
    <h1>${title}</h1>
    ${body}`,
    { wide: true, status },
  );
}
