const MAX_SHOWN = 240;

/**
 * Text as it was written. A long one is shortened and can be expanded.
 * @param about its accessible name, unique on the page
 */
export function LongText({ children, about }: { children: string; about: string }) {
  if (children.length <= MAX_SHOWN) return <bdi className="whitespace-pre-wrap">{children}</bdi>;
  const start = Array.from(children)
    .slice(0, MAX_SHOWN - 40)
    .join("");
  return (
    <details>
      <summary>
        <bdi>{start}…</bdi> <span className="link-like">Full text</span>
        <span className="sr-only">
          : <bdi>{about}</bdi>
        </span>
      </summary>
      <p className="whitespace-pre-wrap" dir="auto">
        {children}
      </p>
    </details>
  );
}
