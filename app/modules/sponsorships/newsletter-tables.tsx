import { Badge } from "~/components/ui/badge";
import { DataTable, type Column } from "~/components/ui/data-table";
import { TimestampText } from "~/components/ui/date-text";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { formatFullDate } from "~/text/dates";
import { keepTogether } from "~/text/keep-together";

import type { Feature, Newsletter } from "./newsletters.server";
import { toWebLink } from "./web-link";

const newsletterColumns = (selected: readonly unknown[]): Column<Newsletter>[] => [
  {
    key: "choose",
    header: "Select",
    hideHeader: true,
    cell: ({ date }) => (
      <RowCheckbox
        name="date"
        value={date}
        label={`Select ${formatFullDate(date)}`}
        defaultChecked={selected.includes(date)}
      />
    ),
  },
  {
    key: "date",
    header: "Date",
    rowHeader: true,
    cell: ({ date }) => (
      // On a phone, only the weekday may have a line of its own.
      <time dateTime={date}>{keepTogether(formatFullDate(date)).replace("\u00a0", " ")}</time>
    ),
  },
  {
    key: "state",
    header: "Status",
    cell: ({ blocked, spots }) => {
      if (blocked) return <Badge tone="waiting">Blocked</Badge>;
      return spots > 0 ? <Badge tone="published">Open</Badge> : <Badge>Full</Badge>;
    },
  },
  {
    key: "sold",
    header: "Sold",
    kind: "number",
    cell: ({ date, sold, onItsWay }) =>
      sold + onItsWay === 0 ? (
        0
      ) : (
        <TextLink
          to={paths.adminNewsletters({ date })}
          about={`features on ${formatFullDate(date)}`}
        >
          {String(sold)}
        </TextLink>
      ),
  },
  {
    key: "held",
    header: "Held",
    kind: "number",
    cell: ({ held, onItsWay }) =>
      onItsWay === 0 ? (
        held
      ) : (
        <>
          {held} <span className="hint">({onItsWay} with payment on its way)</span>
        </>
      ),
  },
  { key: "spots", header: "Spots Available", kind: "number", cell: ({ spots }) => spots },
];

interface NewsletterTableProps {
  newsletters: readonly Newsletter[];
  /** The dates that are selected at first. */
  selected: readonly unknown[];
}

/** The upcoming newsletters, each with a checkbox. */
export function NewsletterTable({ newsletters, selected }: NewsletterTableProps) {
  return (
    <DataTable
      className="newsletters"
      caption="Upcoming newsletters"
      columns={newsletterColumns(selected)}
      rows={newsletters}
      rowKey={({ date }) => date}
    />
  );
}

/** In characters: a longer address has more than one line. */
const SHORT_ADDRESS = 24;

/** A web address as a link, without what begins most of them; anything else as text. */
function OptionalLink({ text, about }: { text: string; about: string }) {
  const url = toWebLink(text);
  const address = text.replace(/^https:\/\//i, "");
  return url === null ? (
    <bdi>{text}</bdi>
  ) : (
    // The arrow of a short one is on its line.
    <span className={address.length <= SHORT_ADDRESS ? "nowrap" : undefined}>
      <TextLink href={url} about={about}>
        {address}
      </TextLink>
    </span>
  );
}

const featureColumns: Column<Feature>[] = [
  {
    key: "business",
    header: "Business",
    rowHeader: true,
    cell: ({ business, onItsWay, notPublic, byFormerOwner }) =>
      onItsWay || notPublic || byFormerOwner ? (
        <>
          <bdi>{business}</bdi>{" "}
          {notPublic ? <Badge tone="wrong">Not public: leave it out</Badge> : null}{" "}
          {byFormerOwner ? (
            <Badge tone="wrong">Written by a former owner: ask the current owner first</Badge>
          ) : null}{" "}
          {onItsWay ? <Badge tone="waiting">Payment on its way</Badge> : null}
        </>
      ) : (
        business
      ),
  },
  {
    key: "words",
    header: "Promo text",
    cell: ({ promoText, changedAt }) => (
      <>
        <span className="whitespace-pre-wrap">{promoText}</span>
        <p className="hint">
          Last changed <TimestampText at={changedAt} />
        </p>
      </>
    ),
  },
  {
    key: "link",
    header: "Link",
    cell: ({ business, link }) =>
      link === null ? "" : <OptionalLink text={link} about={`link of ${business}`} />,
  },
  { key: "location", header: "Location", cell: ({ location }) => location },
  {
    key: "photo",
    header: "Photo location",
    cell: ({ business, photoLocation }) =>
      photoLocation === null ? (
        ""
      ) : (
        <OptionalLink text={photoLocation} about={`photo of ${business}`} />
      ),
  },
];

interface FeatureTableProps {
  caption: string;
  features: readonly Feature[];
}

/** The features of one newsletter, for the team that writes it. Those of listings that aren’t public are apart. */
export function FeatureTable({ caption, features }: FeatureTableProps) {
  const table = (about: string, rows: readonly Feature[]) =>
    rows.length === 0 ? null : (
      <DataTable caption={about} columns={featureColumns} rows={rows} rowKey={({ id }) => id} />
    );
  return (
    <>
      {table(
        caption,
        features.filter(({ notPublic }) => !notPublic),
      )}
      {table(
        `${caption}: leave these out, because no one can find their listings`,
        features.filter(({ notPublic }) => notPublic),
      )}
    </>
  );
}
