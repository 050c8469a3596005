import { Icon } from "~/components/ui/icon";

/** What stands in the place of a number that only Featured listings have. */
export function UpgradeToSee() {
  return (
    <span className="locked">
      <Icon name="lock" />
      Upgrade to see
    </span>
  );
}
