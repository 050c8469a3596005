import type { ReactNode } from "react";

import { TimestampText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import { AuditChanges } from "./audit-changes";
import type { AuditTrailEntry } from "./audit-log.server";
import type { SUBJECTS } from "./labels";

interface AuditTrailProps {
  entries: AuditTrailEntry[];
  /** What they are about, for the link to all of them. */
  subject: keyof typeof SUBJECTS;
  id: string | number;
  /** Another link, beside the one to all of them. */
  more?: ReactNode;
}

const CHANGES_LABELS: Partial<Record<keyof typeof SUBJECTS, string>> = {
  places: "All changes to this listing",
  profiles: "All changes to this account",
};

/** What was done to a listing or a user, the newest first. For admins. */
export default function AuditTrail({ entries, subject, id, more }: AuditTrailProps) {
  return (
    <section aria-labelledby="audit-trail">
      <h2 id="audit-trail">Audit log</h2>
      {entries.length === 0 ? <p className="hint">Nothing has been recorded yet.</p> : null}
      <ul className="trail">
        {entries.map(({ id: entry, action, who, actor, at, about, changes }, index) => (
          <li key={entry}>
            <p>
              <strong>{action}</strong> by{" "}
              {actor === null ? (
                <bdi>{who}</bdi>
              ) : (
                <TextLink to={paths.adminUser(actor)}>{who}</TextLink>
              )}
              , <TimestampText at={at} without={index === 0 ? undefined : "zone"} />
            </p>
            <AuditChanges about={about} changes={changes} />
          </li>
        ))}
      </ul>
      {entries.length === 0 && more === undefined ? null : (
        <p className="links mt-2">
          {entries.length === 0 ? null : (
            <TextLink to={paths.adminAudit({ subject, subject_id: String(id) })}>
              {CHANGES_LABELS[subject] ?? "View in the audit log"}
            </TextLink>
          )}{" "}
          {more}
        </p>
      )}
    </section>
  );
}
