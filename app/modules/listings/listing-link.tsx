import { useLocation } from "@remix-run/react";

import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

interface ListingLinkProps {
  id: number | string;
  about?: string;
  children: string;
}

/** A link to the form of a listing. After saving, the form returns to the page that has the link. */
export function ListingLink({ id, about, children }: ListingLinkProps) {
  const { pathname, search } = useLocation();
  return (
    <TextLink to={paths.listing(id, pathname + search)} about={about}>
      {children}
    </TextLink>
  );
}
