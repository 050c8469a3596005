import { Icon } from "~/components/ui/icon";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import { needInWords, type Need, type NeedKind } from "./rules";

/** Where the next step is: with the one thing, or with the list where there are more. */
const whereTo: Record<NeedKind, (need: Need) => string> = {
  "payment-failed": () => paths.listingsPage({ needs: "you" }),
  "changes-requested": ({ count, id }) =>
    count === 1 ? paths.listing(id) : paths.listingsPage({ needs: "you" }),
  incomplete: ({ count, id }) =>
    count === 1 ? paths.listing(id) : paths.listingsPage({ needs: "you" }),
  "to-claim": ({ count, id }) =>
    count === 1 ? paths.listing(id) : paths.listingsPage({ needs: "you" }),
  "job-expiring": () => paths.jobs(),
  "unpaid-job": () => paths.jobs(),
  "new-leads": ({ count, id }) => (count === 1 ? paths.lead(id) : paths.leads({ state: "new" })),
};

const iconOf = { problem: "circle-alert", waiting: "clock", info: "info" } as const;

/** What waits for the person, each with its next step. Nothing when nothing does. */
export function NeedsList({ needs }: { needs: Need[] }) {
  if (needs.length === 0) return null;
  return (
    <section className="needs" aria-labelledby="needs">
      <h2 id="needs">Waiting for you</h2>
      <ul>
        {needs.map((need) => {
          const { text, action, tone } = needInWords(need);
          return (
            <li key={need.kind} className={`need-${tone}`}>
              <Icon name={iconOf[tone]} />
              <p>
                {text}{" "}
                <TextLink to={whereTo[need.kind](need)} about={need.name}>
                  {action}
                </TextLink>
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
