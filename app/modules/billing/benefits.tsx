import { Icon } from "~/components/ui/icon";

const BENEFITS = [
  "A featured pin on the map, and the top places in your area",
  "Recommended on the app’s home tab",
  "An analytics dashboard: who is near, who looks, who saves you",
  "Your updates are approved first",
  "A badge that stays, a monthly call, and an invitation to our chat server",
];

/** What a Featured listing gets. */
export function Benefits() {
  return (
    <ul className="benefits">
      {BENEFITS.map((benefit) => (
        <li key={benefit}>
          <Icon name="check" />
          {benefit}
        </li>
      ))}
    </ul>
  );
}
