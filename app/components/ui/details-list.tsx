import type { ReactNode } from "react";

/** Names and their values, one below the other. An empty value is said in words: "Not given". */
export function DetailsList({ items }: { items: readonly { name: string; value: ReactNode }[] }) {
  return (
    <dl className="details-list">
      {items.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === null || value === undefined || value === "" ? "Not given" : value}</dd>
        </div>
      ))}
    </dl>
  );
}
