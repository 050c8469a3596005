import { shorten } from "~/text/shorten";

const MAX_SHOWN = 240;
const SHOWN_OF_MORE = 200;

/**
 * Text as it was written. A long one is shortened and can be expanded.
 * @param about its accessible name, unique on the page
 */
export function LongText({ children, about }: { children: string; about: string }) {
  if (children.length <= MAX_SHOWN) return <bdi className="whitespace-pre-wrap">{children}</bdi>;
  return (
    <details>
      <summary>
        <bdi>{shorten(children, SHOWN_OF_MORE)}</bdi> <span className="link-like">Full text</span>
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
