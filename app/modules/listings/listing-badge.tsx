import { Badge, type BadgeTone } from "~/components/ui/badge";

/** The badge of a listing on the dashboard. @param badge its tone and its label: "published Published" */
export function ListingBadge({ badge }: { badge: string }) {
  const [tone, ...label] = badge.split(" ");
  return <Badge tone={tone as BadgeTone}>{label.join(" ")}</Badge>;
}
