import { ButtonLink } from "~/components/ui/button";

interface PaginationProps {
  /** The accessible name: "New listings, pages". */
  label: string;
  /** The URLs of the pages; left out when there is none. */
  previous?: string;
  next?: string;
  /** "Listings 1–250 of 1,204", when it is known. */
  position?: string;
}

/** Links to the previous and the next page. Renders nothing when there is only one page. */
export function Pagination({ label, previous, next, position }: PaginationProps) {
  if (previous === undefined && next === undefined) return null;
  return (
    <nav className="pages" aria-label={label}>
      {position === undefined ? null : <p>{position}</p>}
      <div className="buttons">
        {previous === undefined ? null : (
          <ButtonLink variant="quiet" to={previous} rel="prev">
            Previous page
          </ButtonLink>
        )}
        {next === undefined ? null : (
          <ButtonLink variant="quiet" to={next} rel="next">
            Next page
          </ButtonLink>
        )}
      </div>
    </nav>
  );
}
