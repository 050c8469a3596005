import type { ReactNode } from "react";

export type BadgeTone = "published" | "waiting" | "featured" | "wrong" | "plain";

/**
 * A status in a word or two. The meaning is in the words; the color only helps. Spaces keep it apart where no
 * style does.
 */
export function Badge({ tone = "plain", children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <>
      {" "}
      <span className={`badge badge-${tone}`}>{children}</span>{" "}
    </>
  );
}
