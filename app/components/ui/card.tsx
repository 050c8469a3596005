import type { ReactNode } from "react";

interface CardProps {
  /** Draws the rainbow hairline. Say "Featured" in words (a Badge) as well. */
  featured?: boolean;
  as?: "div" | "section" | "article" | "li";
  id?: string;
  /** The id of the heading that names a section or article. */
  labelledBy?: string;
  className?: string;
  children: ReactNode;
}

/** A bordered sheet that holds what belongs together. */
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
  title: string;
  /** Given to the heading, for `labelledBy`. */
  id?: string;
  /** A line under the title: where it is, when it was. */
  subtitle?: ReactNode;
  /** Badges, at the other side. */
  badges?: ReactNode;
  level?: "h2" | "h3";
}

/** The head of a card: title, a line under it, the state at the other side. */
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
