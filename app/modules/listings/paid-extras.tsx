import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { formatDays } from "~/modules/sponsorships/rules";
import { formatCount } from "~/text/counts";

import type { BookedNewsletters, PaidExtras } from "./paid-extras.server";

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
  const many =
    newsletters.flatMap(({ cancelable, late, disputed }) => [...cancelable, ...late, ...disputed])
      .length > 1;
  const cancelable = newsletters.flatMap((one) => one.cancelable);
  return (
    <>
      {newsletters.length === 0 ? null : (
        <p>
          {isPublic
            ? `It’s booked for ${many ? "newsletters" : "a newsletter"}. If you hide or remove it, we won’t feature it while no one can find it, and your booking isn’t canceled or refunded.`
            : `It’s booked for ${many ? "newsletters" : "a newsletter"}, but we can’t feature it while no one can find it.`}
          <Newsletters
            about={`You can cancel ${cancelable.length > 1 ? "these newsletters" : "this newsletter"}${isPublic ? " first" : ""}:`}
            of={newsletters}
            which="cancelable"
          />
          <Newsletters about="It’s too late to cancel:" of={newsletters} which="late" />
          <Newsletters
            about="Because of a dispute, you can’t cancel:"
            of={newsletters}
            which="disputed"
          />
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

/** A sentence with links to the orders of some of the newsletters; nothing when there are none. */
function Newsletters({
  about,
  of,
  which,
}: {
  about: string;
  of: readonly BookedNewsletters[];
  which: Exclude<keyof BookedNewsletters, "order">;
}) {
  const shown = of.filter((one) => one[which].length > 0);
  return shown.length === 0 ? null : (
    <>
      {" "}
      {about}{" "}
      {shown.map((one, index) => (
        <span key={one.order}>
          {index === 0 ? null : "; "}
          <TextLink to={paths.sponsorship(one.order)} about="Booked newsletters">
            {formatDays(one[which]).replace(/(?<!;) /g, "\u00a0")}
          </TextLink>
        </span>
      ))}
      .
    </>
  );
}
