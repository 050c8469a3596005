import { PostForm } from "~/components/forms/form";
import { Badge } from "~/components/ui/badge";
import { DataTable, type Column } from "~/components/ui/data-table";
import { DateText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { ListingLink } from "~/modules/listings/listing-link";
import { formatPlace, getStatusBadges, HIDDEN } from "~/modules/listings/rules";
import { formatCount } from "~/text/counts";

import { EmailAddress, PhoneNumber, RevealButton } from "./contact";
import type { Contact, UserProfile } from "./users.server";

const yesOrNo = (value: boolean) => (value ? "Yes" : "No");

/** The profile of a user. Contact details are masked until an admin reveals them. */
export function UserDetails({
  user,
  revealed,
}: {
  user: Omit<UserProfile, "places" | "jobs">;
  revealed: Contact | undefined;
}) {
  return (
    <PostForm intent="reveal">
      <dl className="details-list measure" id="contact">
        <div>
          <dt>Full name</dt>
          <dd>
            <bdi>{user.name ?? "None given"}</bdi>
          </dd>
        </div>
        <div>
          <dt>Email</dt>
          <dd>
            <EmailAddress masked={user.email} revealed={revealed} />{" "}
            {user.confirmed ? null : (
              <>
                <Badge tone="waiting">Not confirmed</Badge>
                <p className="hint">
                  This person hasn’t confirmed their email address. They may not be who they say
                  they are, so their opt-ins don’t count yet.
                </p>
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Phone</dt>
          <dd>
            <PhoneNumber masked={user.phone} revealed={revealed} />
          </dd>
        </div>
        {user.email || user.phone ? (
          <div className="screen-only">
            <dt>Contact details</dt>
            <dd>
              {revealed === undefined ? <p className="hint mb-2">Viewing is logged.</p> : null}
              <RevealButton
                id={user.id}
                name={user.name ?? "this user"}
                revealed={revealed !== undefined}
                action={`${paths.adminUser(user.id)}#contact`}
              />
            </dd>
          </div>
        ) : null}
        <div>
          <dt>Pronouns</dt>
          <dd>
            <bdi>{user.pronouns ?? "None given"}</bdi>
          </dd>
        </div>
        <div>
          <dt>ZIP / postal code</dt>
          <dd>
            <bdi>{user.postalcode ?? "None given"}</bdi>
          </dd>
        </div>
        <div>
          <dt>User type</dt>
          <dd>{user.business_owner ? "Business Owner" : "App User"}</dd>
        </div>
        <div>
          <dt>Email opt-in</dt>
          <dd>{yesOrNo(user.opted_in)}</dd>
        </div>
        <div>
          <dt>SMS opt-in</dt>
          <dd>{yesOrNo(user.sms_opted_in)}</dd>
        </div>
        <div>
          <dt>Supporter</dt>
          <dd>{yesOrNo(user.supporter)}</dd>
        </div>
        <div>
          <dt>Joined</dt>
          <dd>
            <DateText at={user.created_at} />
          </dd>
        </div>
      </dl>
    </PostForm>
  );
}

type Business = UserProfile["places"][number] & { map: string | null };

const businessColumns: Column<Business>[] = [
  { key: "name", header: "Name", rowHeader: true, cell: ({ name }) => name },
  {
    key: "place",
    header: "Location",
    kind: "long",
    cell: (listing) => formatPlace(listing) || "No address",
  },
  {
    key: "status",
    header: "Status",
    cell: (business) => (
      <span className="badges">
        {[...getStatusBadges(business), ...(business.hidden ? [HIDDEN] : [])].map(
          ({ label, tone }) => (
            <Badge key={label} tone={tone}>
              {label}
            </Badge>
          ),
        )}
      </span>
    ),
  },
  {
    key: "links",
    header: "Links",
    hideHeader: true,
    kind: "screen-only",
    cell: ({ id, name, map }) => (
      <span className="buttons">
        <ListingLink id={id} about={`${name} (${id})`}>
          Edit listing
        </ListingLink>{" "}
        {map ? (
          <TextLink href={map} about={`${name} (${id})`}>
            View on map
          </TextLink>
        ) : null}
      </span>
    ),
  },
];

/** The businesses of a user, with links to their forms and to the map. */
export function UserBusinesses({ businesses, total }: { businesses: Business[]; total: number }) {
  if (total === 0) return <p className="hint">No businesses.</p>;
  return (
    <>
      <DataTable
        caption={formatCount(total, "business", "businesses")}
        hideCaption
        columns={businessColumns}
        rows={businesses}
        rowKey={({ id }) => id}
      />
      {total > businesses.length ? <p>These are the first {businesses.length}.</p> : null}
    </>
  );
}

export interface UserJob {
  id: number;
  title: string;
  badges: ReturnType<typeof getStatusBadges>;
  expires: string | null;
}

const jobColumns: Column<UserJob>[] = [
  {
    key: "title",
    header: "Job Title",
    rowHeader: true,
    cell: ({ id, title }) => <TextLink to={paths.job(id)}>{title}</TextLink>,
  },
  {
    key: "status",
    header: "Status",
    cell: ({ badges }) => (
      <span className="badges">
        {badges.map(({ label, tone }) => (
          <Badge key={label} tone={tone}>
            {label}
          </Badge>
        ))}
      </span>
    ),
  },
  {
    key: "expires",
    header: "Expiration Date (UTC)",
    kind: "nowrap",
    cell: ({ expires }) => (expires ? <DateText at={expires} /> : "Not paid yet"),
  },
];

/** The jobs of a user, the newest first. */
export function UserJobs({ jobs, total }: { jobs: UserJob[]; total: number }) {
  if (total === 0) return <p className="hint">No jobs.</p>;
  return (
    <>
      <DataTable
        caption={formatCount(total, "job")}
        hideCaption
        columns={jobColumns}
        rows={jobs}
        rowKey={({ id }) => id}
      />
      {total > jobs.length ? <p>These are the newest {jobs.length}.</p> : null}
    </>
  );
}
