import { Markup, markup } from "../../html";

const STYLE = `
  :root { color-scheme: light dark; --ink: #26222e; --soft: #534d5f; --paper: #faf9fc; --surface: #fff; --line: #d8d3e0;
    --control: #857c94; --press: #33415c; --on-press: #fff; --wrong: #931824; --note: #fdf0d9; --note-ink: #5e3700; --note-line: #c98a2b; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #ece9f2; --soft: #beb7cc; --paper: #1b1820; --surface: #25212c; --line: #423b50; --control: #857c94;
      --press: #b9c8e8; --on-press: #1b1820; --wrong: #ff9a9f; --note: #3d2b10; --note-ink: #f2d4a0; --note-line: #a8752a; }
  }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
  .id { overflow-wrap: anywhere; }
  .stand-in { background: var(--note); color: var(--note-ink); border-bottom: 2px dashed var(--note-line); padding: .6rem 1rem; text-align: center; margin: 0; }
  main { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem 4rem; }
  main.wide { max-width: 74rem; }
  h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0 1rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
  h3 { font-size: 1rem; margin: 0 0 .25rem; } .row + h3 { margin-top: 1rem; }
  a { color: inherit; text-underline-offset: .2em; }
  :focus-visible { outline: 3px solid var(--press); outline-offset: 2px; }
  .soft, dt, caption, th { color: var(--soft); } .wrong { color: var(--wrong); font-weight: 600; }
  .card { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem 1.25rem; margin: 0 0 1rem; }
  .card > :first-child { margin-top: 0; } .card > :last-child { margin-bottom: 0; }
  .apart { border: 2px dashed var(--note-line); background: transparent; }
  table { width: 100%; border-collapse: collapse; } caption { text-align: start; padding-bottom: .25rem; }
  th, td { text-align: start; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
  td.sum, th.sum { text-align: end; padding-inline: .75rem 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
  tfoot th { font-weight: 400; } tfoot tr:last-child > * { font-weight: 700; color: var(--ink); border: 0; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 0 1rem; } dd { margin: 0; min-width: 0; }
  fieldset { border: 0; margin: 0 0 1rem; padding: 0; } legend { font-weight: 600; padding: 0; }
  label { display: block; } .field { margin: 0 0 1rem; } .field > label { font-weight: 600; }
  .choice { display: flex; gap: .6rem; align-items: flex-start; padding: .3rem 0; }
  input[type=text], input[type=email], input[type=number], select { font: inherit; color: inherit; width: 100%; max-width: 26rem;
    min-height: 2.75rem; padding: .5rem .75rem; background: var(--surface); border: 1px solid var(--control); border-radius: .5rem; }
  input[type=radio], input[type=checkbox] { width: 1.25rem; height: 1.25rem; margin: .15rem; flex: none; accent-color: var(--press); }
  button { font: inherit; font-weight: 600; min-height: 2.5rem; padding: .4rem .9rem; border-radius: .5rem; cursor: pointer;
    border: 1px solid var(--control); background: var(--surface); color: var(--ink); }
  button.main { border-color: var(--press); background: var(--press); color: var(--on-press); min-height: 2.9rem; padding-inline: 1.25rem; }
  .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; } .row .field { margin: 0; } .row input[type=number] { width: 7rem; }
  .plain { list-style: none; margin: 0 0 1.5rem; padding: 0; } .plain li { padding: .25rem 0; }
  .panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1rem; } .panels .card { margin: 0; }
  pre { white-space: pre-wrap; border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; font-size: .875rem; overflow-x: auto; }
  .hidden { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
  .state { border: 1px solid currentColor; border-radius: 1rem; padding: .05rem .6rem; font-size: .875rem; white-space: nowrap; }
  nav .row { gap: .25rem 1rem; }
  .amount { text-align: end; padding-inline-end: 1.5rem; font-variant-numeric: tabular-nums; }
  .row button { min-height: 2.75rem; } .row .field + .field { margin-inline-start: .5rem; }
  td .id { font-size: .8125rem; } table + .row { margin-top: 1rem; } td > .row { min-width: 13.5rem; } td time { display: inline-block; min-width: 7rem; }
  @media (min-width: 64rem) { td > .row { flex-wrap: nowrap; } td > .row > form { flex: none; } time { white-space: nowrap; } }
  @media (max-width: 44rem) {
    .amount { text-align: start; }
    table.cards thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
    table.cards tr, table.cards td { display: block; border: 0; padding: .15rem 0; }
    table.cards tbody tr { border: 1px solid var(--line); border-radius: .75rem; padding: .75rem 1rem; margin-bottom: .75rem; background: var(--surface); }
    table.cards td::before { content: attr(data-label); display: block; color: var(--soft); font-size: .875rem; }
  }
`;

interface PageOptions {
  status?: number;
  /** Whether the page is wide enough for tables. */
  wide?: boolean;
  /** URLs to which the forms may redirect, such as pages of the app. */
  redirectsTo?: (string | null)[];
}

/** A page of the stand-in. It works without script, and begins by saying what it is. */
export function page(
  title: string,
  body: Markup,
  { status = 200, wide = false, redirectsTo = [] }: PageOptions = {},
): Response {
  const document = markup`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title} · stand-in for Stripe</title>
  <style>${new Markup(STYLE)}</style>
</head>
<body>
<header class="stand-in">This is a local stand-in for Stripe. No money moves, and you won’t be asked for a card number.</header>
<main${wide && new Markup(' class="wide"')}>
${body}
</main>
</body>
</html>
`;
  const origins = redirectsTo.flatMap((url) =>
    url !== null && URL.canParse(url) ? [new URL(url).origin] : [],
  );
  return new Response(document.html, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      // Enough to distinguish our own forms from those of other sites, which learn nothing.
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
      "Content-Security-Policy":
        `default-src 'none'; style-src 'unsafe-inline'; form-action ${["'self'", ...new Set(origins)].join(" ")}; ` +
        "base-uri 'none'; frame-ancestors 'none'",
    },
  });
}

/** The page for a URL at which there is nothing. */
export function notFound(what: string): Response {
  return page(
    "Not found",
    markup`<h1>We couldn’t find that ${what}</h1><p>It may have been removed with older data.</p>`,
    { status: 404 },
  );
}

export function seeOther(location: string): Response {
  return new Response(null, {
    status: 303,
    headers: { Location: location, "Cache-Control": "no-store" },
  });
}

/** "$49.00", "-$5.00". */
export function formatMoney(cents: number | null): string {
  return ((cents ?? 0) / 100).toLocaleString("en-US", { style: "currency", currency: "USD" });
}

/** "Nov 20, 2026, 7:05:00 PM UTC". */
export function formatTime(seconds: number): Markup {
  const date = new Date(seconds * 1000);
  const text = date.toLocaleString("en-US", {
    dateStyle: "medium",
    timeStyle: "medium",
    timeZone: "UTC",
  });
  return markup`<time datetime="${date.toISOString()}">${text} UTC</time>`;
}

/** "Nov 20, 2026". */
export function formatDay(seconds: number): string {
  return new Date(seconds * 1000).toLocaleDateString("en-US", {
    dateStyle: "medium",
    timeZone: "UTC",
  });
}

/**
 * A form with one button. `about` makes its name unique for people who do not see its surroundings.
 */
export function buttonForm(
  action: string,
  label: string,
  { main = false, about = "" } = {},
): Markup {
  const hidden = about && markup`<span class="hidden"> ${about}</span>`;
  return markup`<form method="post" action="${action}"><button${main && new Markup(' class="main"')}>${label}${hidden}</button></form>`;
}

const TEAM_PAGES = [
  ["/events", "Events"],
  ["/payments", "Payments"],
  ["/mailbox", "Mailbox"],
] as const;

/** A page of the team's side, like Stripe's dashboard, with links to the others. */
export function teamPage(title: string, appUrl: string | null, body: Markup): Response {
  return page(
    title,
    markup`<nav aria-label="Pages"><p class="row">
      ${TEAM_PAGES.map(([path, name]) => markup`<a href="${path}">${name}</a>`)}
      ${appUrl && markup`<a href="${appUrl}">Back to the dashboard</a>`}
    </p></nav>
    <h1>${title}</h1>
    ${body}`,
    { wide: true },
  );
}
