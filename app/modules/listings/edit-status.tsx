import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { DataTable } from "~/components/ui/data-table";
import { LongText } from "~/components/ui/long-text";

/** A column of an edit, with its name and its values as text. */
export interface ChangedColumn {
  column: string;
  label: string;
  value: string;
}

export interface EditStatusProps {
  /** Saving claims the listing. */
  claims: boolean;
  /** The reader is an admin, and the changes are someone else’s. */
  forAdmin: boolean;
  /** The listing is hidden from the directory. */
  hidden: boolean;
  /** The team is looking into the listing, which no one can see. */
  flagged: boolean;
  /** What the team asked to change. */
  requested: string | null;
  /** What was rejected, and is still kept. */
  rejected: RejectedEditProps | null;
  /** What the edit that waits for review changes. */
  changes: PendingColumn[];
  /** The page that asks before the waiting edit is withdrawn; undefined for those who may not. */
  withdraw?: string | undefined;
  /** Where a rejected edit is discarded; undefined for those who may not. */
  discard?: string | undefined;
}

/**
 * What a listing's form shows at its top: that the listing can be claimed or is flagged, and what happened to
 * the last edit.
 */
export default function EditStatus({
  claims,
  forAdmin,
  hidden,
  flagged,
  requested,
  rejected,
  changes,
  withdraw,
  discard,
}: EditStatusProps) {
  return (
    <>
      {claims ? (
        <Callout title="Is this your listing?">
          It has your email address but no owner yet. Check the details and save to claim it.
        </Callout>
      ) : null}
      {flagged ? (
        <Callout tone="waiting" title="Flagged">
          Our team is looking into this listing, so no one can see it right now. You can still edit
          it.
        </Callout>
      ) : null}
      {requested ? (
        <Callout tone="waiting" title="Changes requested">
          {requested}
        </Callout>
      ) : null}
      {rejected ? <RejectedEdit {...rejected} discard={discard} /> : null}
      {changes.length > 0 ? (
        <>
          <PendingEdit
            changes={changes}
            caption={`${forAdmin ? "These" : "Your"} changes are waiting for review`}
          />
          <p>
            {hidden
              ? "The listing is hidden. If it’s shown before they’re approved, people see the last approved version."
              : "Until they’re approved, people see the last approved version."}
          </p>
        </>
      ) : null}
      {withdraw !== undefined && changes.length > 0 ? (
        <p>
          <ButtonLink variant="quiet" to={withdraw}>
            Withdraw these changes
          </ButtonLink>
        </p>
      ) : null}
    </>
  );
}

type PendingColumn = ChangedColumn & { waiting: string };

interface PendingEditProps {
  changes: PendingColumn[];
  caption: string;
}

/** An edit that waits for review, next to what the public sees now. */
export function PendingEdit({ changes, caption }: PendingEditProps) {
  return (
    <DataTable
      caption={caption}
      rows={changes}
      rowKey={({ column }) => column}
      columns={[
        { key: "field", header: "Field", rowHeader: true, cell: ({ label }) => label },
        {
          key: "live",
          header: "Approved",
          kind: "sentences",
          cell: ({ label, value }) => <LongText about={`approved, ${label}`}>{value}</LongText>,
        },
        {
          key: "waiting",
          header: "Waiting for review",
          kind: "sentences",
          cell: ({ label, waiting }) => (
            <LongText about={`waiting for review, ${label}`}>{waiting}</LongText>
          ),
        },
      ]}
    />
  );
}

interface RejectedEditProps {
  title: string;
  /** The team's reason, or what else there is to say; null if there is nothing. */
  reason: string | null;
  changes: ChangedColumn[];
  /** When it was rejected. */
  at: string;
}

/** An edit that was rejected, with its values, so that its author can use them again. */
function RejectedEdit({
  title,
  reason,
  changes,
  at,
  discard,
}: RejectedEditProps & Pick<EditStatusProps, "discard">) {
  return (
    <Callout tone="waiting" title={title}>
      {reason === null ? null : (
        <p className="whitespace-pre-wrap" dir="auto">
          {reason}
        </p>
      )}
      <details className="mt-2">
        <summary>Your changes</summary>
        <dl className="details-list">
          {changes.map(({ column, label, value }) => (
            <div key={column}>
              <dt>{label}</dt>
              <dd className="whitespace-pre-wrap" dir="auto">
                {value}
              </dd>
            </div>
          ))}
        </dl>
        {discard === undefined ? null : (
          <PostForm action={discard} intent="discard" className="mt-2">
            <input type="hidden" name="at" value={at} />
            <SubmitButton variant="quiet">Discard these changes</SubmitButton>
          </PostForm>
        )}
      </details>
    </Callout>
  );
}
