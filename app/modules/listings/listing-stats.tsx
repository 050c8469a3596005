import { Stats } from "~/components/ui/stats";

import type { DashboardListing } from "./owner-listings.server";
import { UpgradeToSee } from "./upgrade-to-see";

const LABELS = ["Nearby users", "Views", "Favorites"];

/** How people meet a listing: the numbers of a Featured one, and for others what they would see. */
export function ListingStats({
  listing,
}: {
  listing: Pick<DashboardListing, "id" | "name" | "stats">;
}) {
  const { stats } = listing;
  return (
    <Stats
      stats={LABELS.map((label, index) => ({
        label,
        value: stats ? stats[index] : <UpgradeToSee label={label} listing={listing} />,
        asText: stats === null,
      }))}
    />
  );
}
