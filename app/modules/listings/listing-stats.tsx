import { Stats } from "~/components/ui/stats";

import { favoritesInWords, nearbyInWords, viewsInWords } from "./dashboard-rules";
import { UpgradeToSee } from "./upgrade-to-see";

interface ListingStatsProps {
  featured: boolean;
  nearby: number | null;
  views: number | null;
  favorites: number | null;
}

/** How people meet a listing: the numbers of a Featured one, and for others what they would see. */
export function ListingStats({ featured, nearby, views, favorites }: ListingStatsProps) {
  const locked = { value: <UpgradeToSee />, asText: true };
  return (
    <Stats
      stats={[
        { label: "Nearby users", ...(featured ? { value: nearbyInWords(nearby) } : locked) },
        { label: "Views", ...(featured ? { value: viewsInWords(views) } : locked) },
        { label: "Favorites", ...(featured ? { value: favoritesInWords(favorites) } : locked) },
      ]}
    />
  );
}
