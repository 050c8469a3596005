import { Moment } from "~/components/ui/moment";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import { AuditChanges } from "./audit-changes";
import { actionInWords, actorInWords, type AuditEntry, type SUBJECTS } from "./audit-words";

interface AuditTrailProps {
  entries: AuditEntry[];
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
        {entries.map((entry) => (
          <li key={entry.id}>
            <p>
              <strong>{actionInWords(entry.action)}</strong> by{" "}
              {entry.actor !== null && entry.known ? (
                <TextLink to={paths.adminUser(entry.actor)}>{actorInWords(entry)}</TextLink>
              ) : (
                actorInWords(entry)
              )}
              , <Moment at={entry.at} />
            </p>
            <AuditChanges entry={entry} />
          </li>
        ))}
      </ul>
      {entries.length === 0 ? null : (
        <p>
          <TextLink to={paths.adminAudit({ subject, subject_id: String(id) })}>Everything in the audit log</TextLink>
        </p>
      )}
    </section>
  );
}
