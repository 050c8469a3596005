import { ButtonLink } from "~/components/ui/button";

interface PaginationProps {
  /** What is paged, for those who hear it: "New listings, pages". */
  label: string;
  /** Where the pages are; left out when there is none. */
  previous?: string;
  next?: string;
  /** In words, when known: "Listings 1–250 of 1,204". */
  position?: string;
}

/** The way to the rows before and after these. Nothing when everything is shown. */
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
