import { Badge, type BadgeTone } from "~/components/ui/badge";

/** @param badge the tone and the label of a listing's badge: "waiting Pending Review"; a published one has none */
export function readBadge(badge = "published Published"): { tone: BadgeTone; label: string } {
  const [tone, ...label] = badge.split(" ");
  return { tone: tone as BadgeTone, label: label.join(" ") };
}

/** The badge of a listing on the dashboard. @param badge as `readBadge` takes it */
export function ListingBadge({ badge }: { badge?: string }) {
  const { tone, label } = readBadge(badge);
  return <Badge tone={tone}>{label}</Badge>;
}
