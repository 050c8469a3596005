import { Link } from "react-router-dom";
import type { ReactNode } from "react";

import { formatNumber } from "~/text/counts";

interface FactCardProps {
  /** The heading's id. */
  id: string;
  title: string;
  facts: readonly { label: string; value: ReactNode; to?: string }[];
  /** In place of the facts when there are none. */
  empty?: string;
}

/** A few facts under one heading. A fact with a path leads to what it counts. */
export function FactCard({ id, title, facts, empty }: FactCardProps) {
  return (
    <section className="fact-card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {facts.length === 0 ? <p>{empty}</p> : null}
      <dl>
        {facts.map(({ label, value, to }) => {
          const shown = typeof value === "number" ? formatNumber(value) : value;
          return (
            <div key={`${label} ${to}`}>
              <dt>
                {to === undefined ? (
                  <bdi>{label}</bdi>
                ) : (
                  <Link
                    to={to}
                    aria-label={typeof shown === "string" ? `${label}: ${shown}` : undefined}
                  >
                    <bdi>{label}</bdi>
                  </Link>
                )}
              </dt>{" "}
              <dd>{shown}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
