import { Icon } from "~/components/ui/icon";
import { Stats } from "~/components/ui/stats";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import type { DashboardListing } from "./dashboard.server";

const LABELS = ["Nearby users", "Views", "Favorites"];

/** The numbers of a Featured listing; for any other listing, what an upgrade would show. */
export function ListingStats({
  listing: { id, name, stats },
}: {
  listing: Pick<DashboardListing, "id" | "name" | "stats">;
}) {
  return (
    <Stats
      stats={LABELS.map((label, index) => ({
        label,
        value: stats ? (
          stats[index]
        ) : (
          <span className="locked">
            <Icon name="lock" />
            <TextLink to={paths.upgrade(id)} about={`${label} of ${name}`}>
              Upgrade to see
            </TextLink>
          </span>
        ),
        asText: stats === null,
      }))}
    />
  );
}
