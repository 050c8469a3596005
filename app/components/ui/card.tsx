import type { ReactNode } from "react";

interface CardProps {
  /** Adds the rainbow line. A badge must say "Featured" as well. */
  featured?: boolean;
  as?: "div" | "section" | "article" | "li";
  id?: string;
  /** The id of the heading of a section or article. */
  labelledBy?: string;
  className?: string;
  children: ReactNode;
}

/** A bordered box. */
export function Card({
  featured = false,
  as: Tag = "div",
  id,
  labelledBy,
  className,
  children,
}: CardProps) {
  const classes = ["card", featured ? "card-featured" : "", className ?? ""]
    .filter(Boolean)
    .join(" ");
  return (
    <Tag id={id} className={classes} aria-labelledby={labelledBy}>
      {children}
    </Tag>
  );
}

interface CardHeadProps {
  title: ReactNode;
  /** The heading's id, for `labelledBy`. */
  id?: string;
  /** A line under the title: a place or a date. */
  subtitle?: ReactNode;
  /** Badges, on the other side. */
  badges?: ReactNode;
  level?: "h2" | "h3";
}

/** The head of a card: title, subtitle, and badges. */
export function CardHead({ title, id, subtitle, badges, level: Heading = "h2" }: CardHeadProps) {
  return (
    <div className="card-head">
      <div>
        <Heading id={id}>{title}</Heading>
        {subtitle === undefined ? null : <p>{subtitle}</p>}
      </div>
      {badges === undefined ? null : <div className="badges">{badges}</div>}
    </div>
  );
}
