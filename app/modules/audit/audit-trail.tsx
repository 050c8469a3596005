import { TimestampText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import { AuditChanges } from "./audit-changes";
import type { TrailEntry } from "./audit-log.server";
import type { SUBJECTS } from "./audit-words";

interface AuditTrailProps {
  entries: TrailEntry[];
  /** Whose they are, for the way to all of them. */
  subject: keyof typeof SUBJECTS;
  id: string | number;
}

/** What was done to a listing or a user, the newest first. For admins' eyes. */
export function AuditTrail({ entries, subject, id }: AuditTrailProps) {
  return (
    <section aria-labelledby="audit-trail">
      <h2 id="audit-trail">Audit log</h2>
      {entries.length === 0 ? <p className="hint">Nothing is recorded yet.</p> : null}
      <ul className="trail">
        {entries.map(({ id: entry, action, who, person, at, about, changes }) => (
          <li key={entry}>
            <p>
              <strong>{action}</strong> by{" "}
              {person === null ? who : <TextLink to={paths.adminUser(person)}>{who}</TextLink>},{" "}
              <TimestampText at={at} />
            </p>
            <AuditChanges about={about} changes={changes} />
          </li>
        ))}
      </ul>
      {entries.length === 0 ? null : (
        <p>
          <TextLink to={paths.adminAudit({ subject, subject_id: String(id) })}>
            Everything in the audit log
          </TextLink>
        </p>
      )}
    </section>
  );
}
