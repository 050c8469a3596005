import { DataTable, type Column } from "~/components/ui/data-table";
import { TextLink } from "~/components/ui/text-link";

import { webLinkOf } from "./fields";
import type { Feature } from "./newsletters.server";

/** A web address as a link, anything else as it is. */
function Place({ of, about }: { of: string; about: string }) {
  const address = webLinkOf(of);
  return address === null ? (
    of
  ) : (
    <TextLink href={address} about={about}>
      {of}
    </TextLink>
  );
}

const columns: Column<Feature>[] = [
  { key: "business", header: "Business", rowHeader: true, cell: ({ business }) => business },
  { key: "words", header: "Promo text", cell: ({ promoText }) => promoText },
  {
    key: "link",
    header: "Link",
    cell: ({ business, link }) =>
      link === null ? "" : <Place of={link} about={`link of ${business}`} />,
  },
  { key: "location", header: "Location", cell: ({ location }) => location },
  {
    key: "photo",
    header: "Photo location",
    cell: ({ business, photoLocation }) =>
      photoLocation === null ? "" : <Place of={photoLocation} about={`photo of ${business}`} />,
  },
];

/** What stands in one newsletter, for those who make it. */
export function FeatureTable({
  caption,
  features,
}: {
  caption: string;
  features: readonly Feature[];
}) {
  return <DataTable caption={caption} columns={columns} rows={features} rowKey={({ id }) => id} />;
}
