import { Link } from "@remix-run/react";
import type { MouseEvent } from "react";

import { SubmitButton } from "~/components/forms/submit-button";

import { DECISION_WORDS, decisionsOffered, totalInWords } from "./decision-rules";
import type { ListingView } from "./listings-filter";

interface ChoiceBarProps {
  view: ListingView;
  total: number;
  more: boolean;
  /** This page with every listing ticked, for browsers without script. */
  tickedAddress: string;
}

/** Ticks every row of the page at once; where script does not run, the link loads the page ticked. */
function tickPage(event: MouseEvent<HTMLAnchorElement>) {
  const boxes =
    event.currentTarget
      .closest("form")
      ?.querySelectorAll<HTMLInputElement>("input[name=listing]") ?? [];
  event.preventDefault();
  for (const box of boxes) box.checked = true;
}

/** What is chosen in a table, and what is to be done with it. Nothing is done before it was looked at. */
export function ChoiceBar({ view, total, more, tickedAddress }: ChoiceBarProps) {
  return (
    <div className="choice-bar">
      <p className="links">
        <Link to={tickedAddress} discover="none" preventScrollReset onClick={tickPage}>
          Select this page
        </Link>
        <label>
          <input type="checkbox" name="all" value="yes" className="checkbox" /> Select all{" "}
          {totalInWords(total, more)} that match this filter
        </label>
      </p>
      <div className="buttons">
        {decisionsOffered(view).map((decision, index) => (
          <SubmitButton
            key={decision}
            variant={index === 0 ? "primary" : "quiet"}
            name="action"
            value={decision}
          >
            {DECISION_WORDS[decision].label}
          </SubmitButton>
        ))}
      </div>
      <p className="hint">
        You are shown what will happen to each of them before anything is done.
      </p>
    </div>
  );
}
