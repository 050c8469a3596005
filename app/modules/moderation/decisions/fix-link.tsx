import { Link } from "react-router-dom";

import { paths } from "~/http/paths";

interface FixLinkProps {
  /** The id of the listing, and its name, unique on the page. */
  listing: number;
  label: string;
  /** What is missing before it can be approved. */
  missing: "email" | "address";
  /** The page to return to after saving. */
  back: string;
}

/** A button to the form of a listing, at the field that is missing. */
export function FixLink({ listing, label, missing, back }: FixLinkProps) {
  const text = missing === "email" ? "Add email" : "Fix address";
  return (
    <>
      <Link
        to={paths.fixListing(listing, missing === "email" ? "owner_email" : "rawaddress", back)}
        className="btn btn-quiet"
        aria-label={`${text}: ${label}`}
      >
        {text}
      </Link>{" "}
    </>
  );
}
