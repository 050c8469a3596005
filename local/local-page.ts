import { escapeHtml } from "./html";

const STYLE = `
  :root { color-scheme: light dark; --ink: #26222e; --soft: #534d5f; --paper: #faf9fc;
    --line: #d8d3e0; --link: #5a2ca0; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #ece9f2; --soft: #beb7cc; --paper: #1b1820; --line: #423b50; --link: #c9a8ff; }
  }
  body { margin: 0 auto; max-width: 46rem; padding: 2rem 1rem 4rem; background: var(--paper);
    color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
  h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.1rem; margin-top: 2rem; }
  a { color: var(--link); } a:focus-visible, iframe:focus-visible { outline: 3px solid var(--link);
    outline-offset: 2px; }
  .mails, .places { list-style: none; padding: 0; border-top: 1px solid var(--line); }
  .mails li, .places li { border-bottom: 1px solid var(--line); padding: .75rem 0; display: flex; gap: .25rem 1rem;
    flex-wrap: wrap; justify-content: space-between; align-items: baseline; }
  .subject, .places a { font-weight: 600; } .to, time, dt { color: var(--soft); }
  .mails a { display: block; padding: .25rem 0; } .about { white-space: pre-line; }
  .links { list-style: none; padding: 0; } .links a { display: inline-block; padding: .25rem 0; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; } dd { margin: 0; }
  iframe { box-sizing: border-box; width: 100%; height: 36rem; border: 1px solid var(--line); background: transparent; }
  pre { white-space: pre-wrap; border: 1px solid var(--line); padding: 1rem; margin: 0; }
`;

/** A page of this machine alone, without script. The body is HTML; its values must be escaped. */
export function localPage(title: string, body: string, status = 200): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escapeHtml(title)}</title>
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
      // The links of an email sign people in, so no URL of this page may reach another site.
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
