const SHOWN = 240;

/** Text of any length as it was written; a long one is cut, and unfolds. @param about what it is, unique on the page */
export function LongText({ children, about }: { children: string; about: string }) {
  if (children.length <= SHOWN) return <span className="whitespace-pre-wrap">{children}</span>;
  const start = Array.from(children)
    .slice(0, SHOWN - 40)
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
