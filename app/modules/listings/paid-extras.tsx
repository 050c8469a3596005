import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { formatDays } from "~/modules/sponsorships/rules";
import { formatCount } from "~/text/counts";

import type { PaidExtras } from "./paid-extras.server";

/**
 * What happens to the booked newsletters and paid jobs of a listing that the public can’t find.
 * @param isPublic whether the public can find the listing now: if so, the text is about hiding or
 * removing it
 */
export function PaidExtrasNotes({
  extras: { newsletters, copied, jobs },
  isPublic,
}: {
  extras: PaidExtras;
  isPublic: boolean;
}) {
  const many = newsletters.flatMap(({ dates }) => dates).length > 1;
  return (
    <>
      {newsletters.length === 0 ? null : (
        <p>
          {isPublic
            ? `It’s booked for ${many ? "newsletters" : "a newsletter"}. If you hide or remove it, we won’t feature it while no one can find it, and your booking isn’t canceled or refunded. You can cancel ${many ? "these newsletters" : "this newsletter"} first:`
            : `It’s booked for ${many ? "newsletters" : "a newsletter"}, but we can’t feature it while no one can find it. You can cancel ${many ? "these newsletters" : "this newsletter"}:`}{" "}
          {newsletters.map(({ order, dates }, index) => (
            <span key={order}>
              {index === 0 ? null : "; "}
              <TextLink to={paths.sponsorship(order)} about="Booked newsletters">
                {formatDays(dates).replace(/(?<!;) /g, "\u00a0")}
              </TextLink>
            </span>
          ))}
        </p>
      )}
      {copied === null ? null : <p>{copied}</p>}
      {jobs === 0 ? null : (
        <p>
          {isPublic
            ? `If you hide or remove this listing, ${formatCount(jobs, "paid job")} for it won’t be shown, but the ${jobs === 1 ? "job’s" : "jobs’"} paid days keep counting down.`
            : `${formatCount(jobs, "paid job")} for this listing ${jobs === 1 ? "isn’t" : "aren’t"} shown right now, but ${jobs === 1 ? "its" : "their"} paid days keep counting down.`}{" "}
          <TextLink to={paths.jobs()}>Your jobs</TextLink>
        </p>
      )}
    </>
  );
}
