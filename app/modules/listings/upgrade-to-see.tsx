import { Icon } from "~/components/ui/icon";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

interface UpgradeToSeeProps {
  /** The number that would stand here: "Views". */
  label: string;
  listing: { id: number; name: string };
}

/** What stands in the place of a number that only Featured listings have: the way to it. */
export function UpgradeToSee({ label, listing }: UpgradeToSeeProps) {
  return (
    <span className="locked">
      <Icon name="lock" />
      <TextLink to={paths.upgrade(listing.id)} about={`${label} of ${listing.name}`}>
        Upgrade to see
      </TextLink>
    </span>
  );
}
