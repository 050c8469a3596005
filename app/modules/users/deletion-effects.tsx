import { formatCount } from "~/text/counts";

import type { DeletionEffects } from "./delete-user.server";

/** What the deletion of a user does, with how many of each thing it affects. */
export function DeletionEffectsList({ effects }: { effects: DeletionEffects }) {
  const { places, unseen_places, edited_places, subscriptions, jobs, sponsorships, feedback } =
    effects;
  const listed = places - unseen_places - edited_places;
  return (
    <ul className="list-disc ps-5">
      <li className="mt-2">
        The account, its profile and its consent history are deleted, and it’s signed out everywhere
        right away.{" "}
        {effects.mailed
          ? "They get an email that says so."
          : "They don’t get an email, because their address isn’t confirmed."}
      </li>
      {subscriptions > 0 ? (
        <li className="mt-2">
          {formatCount(subscriptions, "Featured plan is", "Featured plans are")} ended first, so
          nothing more is charged. A payment that’s still on its way is refunded when it arrives.
        </li>
      ) : null}
      {listed > 0 ? (
        <li className="mt-2">
          {formatCount(
            listed,
            "listing stays in the directory, without an owner",
            "listings stay in the directory, without an owner",
          )}
          .
        </li>
      ) : null}
      {edited_places > 0 ? (
        <li className="mt-2">
          {formatCount(
            edited_places,
            "listing with a change that hasn’t been approved is hidden",
            "listings with changes that haven’t been approved are hidden",
          )}
          , without the {edited_places === 1 ? "change" : "changes"} and without an owner.{" "}
          {edited_places === 1 ? "Its" : "Their"} jobs won’t be shown, and the newsletter will leave{" "}
          {edited_places === 1 ? "the listing" : "the listings"} out.
        </li>
      ) : null}
      {unseen_places > 0 ? (
        <li className="mt-2">
          {formatCount(
            unseen_places,
            "listing that isn’t public stays that way",
            "listings that aren’t public stay that way",
          )}
          , without an owner.
        </li>
      ) : null}
      {jobs > 0 ? (
        <li className="mt-2">
          {formatCount(jobs, "job stays, without an owner", "jobs stay, without an owner")}.
        </li>
      ) : null}
      {sponsorships > 0 ? (
        <li className="mt-2">
          {formatCount(
            sponsorships,
            "newsletter feature stays booked",
            "newsletter features stay booked",
          )}
          , without an owner.
        </li>
      ) : null}
      {/* Without a number: it would reveal how often someone looks for help, and where. */}
      <li className="mt-2">Their favorites in the app and their messages to owners are deleted.</li>
      {feedback > 0 ? (
        <li className="mt-2">
          {formatCount(feedback, "piece of feedback stays", "pieces of feedback stay")}, without a
          name.
        </li>
      ) : null}
      {/* Their number would reveal who reported what. */}
      <li className="mt-2">Their reports stay. Reporters are always anonymous.</li>
      <li className="mt-2">The deletion is recorded in the audit log. This can’t be undone.</li>
    </ul>
  );
}
