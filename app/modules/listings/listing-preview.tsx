import { Badge } from "~/components/ui/badge";
import { Card, CardHead } from "~/components/ui/card";
import { TextLink } from "~/components/ui/text-link";
import { isolate } from "~/text/isolate";
import { mailtoLink } from "~/text/mailto";
import { telLink } from "~/text/tel";

import { getColumnLabel } from "./fields";
import type { PreviewedListing } from "./preview.server";

/** A listing as people see it. */
export function ListingPreview({ listing }: { listing: PreviewedListing }) {
  const { name, kind, place, featured, description, address, phone, email, links, lists, boxes } =
    listing;
  return (
    <Card as="article" labelledBy="preview" featured={featured} className="measure">
      <CardHead
        id="preview"
        title={<bdi>{name}</bdi>}
        subtitle={[kind, isolate(place)].filter(Boolean).join(", ")}
        badges={featured ? <Badge tone="featured">Featured</Badge> : undefined}
      />
      <p className="whitespace-pre-wrap" dir="auto">
        {description}
      </p>
      <dl className="details-list">
        {address ? (
          <div>
            <dt>Address</dt>
            <dd>
              <bdi>{address}</bdi>
              {listing.approximate ? (
                <p className="hint">Shown at an approximate location on the map.</p>
              ) : null}
            </dd>
          </div>
        ) : null}
        {phone ? (
          <div>
            <dt>Phone</dt>
            <dd>
              <a href={telLink(phone)}>
                <bdi>{phone}</bdi>
              </a>
            </dd>
          </div>
        ) : null}
        {email ? (
          <div>
            <dt>Email</dt>
            <dd>
              <a href={mailtoLink(email)}>
                <bdi>{email}</bdi>
              </a>
            </dd>
          </div>
        ) : null}
        {links.map(({ field, url }) => (
          <div key={field}>
            <dt>{getColumnLabel(field)}</dt>
            <dd>
              <TextLink href={url}>{url.replace(/^https?:\/\/(www\.)?/i, "")}</TextLink>
            </dd>
          </div>
        ))}
        {lists.map(({ field, text }) => (
          <div key={field}>
            <dt>{getColumnLabel(field)}</dt>
            <dd dir="auto">{text}</dd>
          </div>
        ))}
      </dl>
      {boxes.length > 0 ? (
        <>
          <h3>Good to know</h3>
          <div className="badges">
            {boxes.map((label) => (
              <Badge key={label}>{label}</Badge>
            ))}
          </div>
        </>
      ) : null}
    </Card>
  );
}
