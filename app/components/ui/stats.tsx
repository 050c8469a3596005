import type { ReactNode } from "react";

interface Stat {
  label: string;
  value: ReactNode;
  /** Set when the value is text or a link, not a number. */
  asText?: boolean;
}

/** A few numbers side by side with their labels. */
export function Stats({ stats }: { stats: readonly Stat[] }) {
  return (
    <dl className="stats">
      {stats.map(({ label, value, asText }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className={asText ? "as-text" : undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
