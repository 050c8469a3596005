import type { ReactNode } from "react";

export type BadgeTone = "published" | "waiting" | "featured" | "wrong" | "plain";

/** A state in a word or two. The words carry it; the colour only helps. */
export function Badge({ tone = "plain", children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}
