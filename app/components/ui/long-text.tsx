const MAX_SHOWN = 240;

/**
 * Text as it was written. A long one is shortened and can be expanded.
 * @param about its accessible name, unique on the page
 */
export function LongText({ children, about }: { children: string; about: string }) {
  if (children.length <= MAX_SHOWN) return <span className="whitespace-pre-wrap">{children}</span>;
  const start = Array.from(children)
    .slice(0, MAX_SHOWN - 40)
    .join("");
  return (
    <details className="long-text">
      <summary>
        <span className="start">{start}…</span> <span className="link-like">Show all</span>
        <span className="sr-only">: {about}</span>
      </summary>
      <p className="whitespace-pre-wrap">{children}</p>
    </details>
  );
}
