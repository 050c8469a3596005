import { Link } from "react-router-dom";
import { useRef } from "react";

import { useFromDocument } from "~/components/forms/use-from-document";
import { Card } from "~/components/ui/card";
import { Icon } from "~/components/ui/icon";
import { Illustration } from "~/components/ui/illustration";

import { toCardText } from "./card-text";
import { LISTING_FIELDS, SOCIAL_NETWORKS, type ListingField } from "./fields";

const CONTACTS = [
  ["public_email", "mail"],
  ["phone", "phone"],
  ["url", "globe"],
  ...SOCIAL_NETWORKS.map((network) => [network, network] as const),
  ["linkedin", "linkedin"],
] as const;

/** What the card says before there is a description. */
const DESCRIPTION = "What you offer and what makes it special";

interface ListingCardProps {
  /** What a field of the form says. */
  getText: (name: ListingField) => string;
  /** The name of the category. */
  kind: string;
  place: string;
  featured: boolean;
  /** The URL of the whole preview of the saved version. */
  saved: string | undefined;
}

/**
 * A listing in the form that edits it, as people will see it. Without script it shows what the form was opened with;
 * with script, what is typed (live-preview.ts). Only public fields are in it.
 */
export function ListingCard({ getText, kind, place, featured, saved }: ListingCardProps) {
  const card = useRef<HTMLElement>(null);
  useFromDocument(
    card,
    (element) => void import("./live-preview").then(({ followForm }) => followForm(element)),
  );
  return (
    <section className="live-preview" aria-labelledby="preview" data-place={place} ref={card}>
      <h2 id="preview" className="hint">
        How it looks in the app
      </h2>
      <Card featured={featured}>
        <Illustration name="streets" />
        <p className="serif">
          <bdi data-shows="name" data-empty="Your listing">
            {getText("name").trim() || "Your listing"}
          </bdi>
        </p>
        <p className="hint">
          <bdi data-shows="category" data-empty="Category">
            {kind || "Category"}
          </bdi>{" "}
          <bdi data-shows="rawaddress">{place}</bdi>
        </p>
        <p dir="auto" data-shows="description" data-empty={DESCRIPTION}>
          {toCardText(getText("description")) || DESCRIPTION}
        </p>
        <p className="badges">
          {CONTACTS.map(([field, icon]) => (
            <span
              key={field}
              className="badge"
              data-shows={field}
              data-label={LISTING_FIELDS[field].label}
              hidden={!getText(field).trim()}
            >
              <Icon name={icon} />{" "}
              {/* Text browsers show what is hidden, so there must be nothing to read in it. */}
              <span className="sr-only">
                {getText(field).trim() ? LISTING_FIELDS[field].label : ""}
              </span>
            </span>
          ))}
        </p>
      </Card>
      {saved === undefined ? null : (
        <Link to={saved} target="_blank">
          See the saved version<span className="sr-only"> in a new tab</span>
        </Link>
      )}
    </section>
  );
}
