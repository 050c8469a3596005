import { Badge } from "~/components/ui/badge";
import { Card, CardHead } from "~/components/ui/card";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import { statusBadges } from "./rules";

interface ListingCardProps {
  id: number;
  name: string;
  city: string | null;
  state: string | null;
  status: string | null;
  premium: boolean | null;
  premium2: boolean | null;
  type: "owned" | "unclaimed" | "other";
}

/** One listing on its owner's dashboard. */
export function ListingCard({ id, name, city, state, status, premium, premium2, type }: ListingCardProps) {
  const headingId = `listing-${id}`;
  const badges = statusBadges({ status, premium });
  return (
    <Card as="li" featured={premium2 === true} labelledBy={headingId}>
      <CardHead
        title={name}
        id={headingId}
        subtitle={[city, state].filter(Boolean).join(", ") || "No address yet"}
        badges={badges.map((badge) => (
          <Badge key={badge.label} tone={badge.tone}>
            {badge.label}
          </Badge>
        ))}
      />
      {type === "unclaimed" ? <p>This listing is yours? It names your e-mail address and has no owner yet: saving it makes it yours.</p> : null}
      <p>
        <TextLink to={paths.listing(id)} about={name}>
          Edit listing
        </TextLink>
      </p>
    </Card>
  );
}
