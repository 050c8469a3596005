import { Notice } from "~/components/ui/notice";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import type { Decision } from "./approve.server";

/** What became of each listing that was to be approved, with the reason and the way to mend it. */
export function ApprovalResult({ decisions }: { decisions: Decision[] }) {
  const approved = decisions.filter(({ outcome }) => outcome === "approved");
  const others = decisions.filter(({ outcome }) => outcome !== "approved");
  return (
    <div role="status">
      {approved.length > 0 ? (
        <Notice tone="success" title={`Approved: ${approved.length}`}>
          {approved.map(({ name }) => name).join(", ")}
        </Notice>
      ) : null}
      {others.length > 0 ? (
        <Notice tone="problem" title={`Not approved: ${others.length}`}>
          <ul>
            {others.map(({ id, name, outcome, reason }) => (
              <li key={id}>
                {outcome === "missing" ? `Listing ${id}` : <TextLink to={paths.listing(id)}>{name ?? ""}</TextLink>}: {reason}
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
    </div>
  );
}
