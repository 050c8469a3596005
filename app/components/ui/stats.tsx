import type { ReactNode } from "react";

interface Stat {
  label: string;
  value: ReactNode;
}

/** A few numbers side by side with their labels. */
export function Stats({ stats }: { stats: readonly Stat[] }) {
  return (
    <dl className="stats">
      {stats.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
