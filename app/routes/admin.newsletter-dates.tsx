import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { FeatureTable } from "~/modules/sponsorships/feature-table";
import { dayInWords, daysInWords } from "~/modules/sponsorships/newsletter-days";
import { NewsletterTable } from "~/modules/sponsorships/newsletter-table";
import {
  blockNewsletters,
  featuresOf,
  newslettersToCome,
} from "~/modules/sponsorships/newsletters.server";
import { isNewsletterDay } from "~/modules/sponsorships/rules";

export const handle = { title: "Newsletter Dates" };

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const asked = url.searchParams.get("date");
  const date = asked !== null && isNewsletterDay(asked) ? asked : null;
  const [newsletters, features] = await Promise.all([newslettersToCome(db), featuresOf(db, date)]);
  return json({ newsletters, date, features });
});

const setBlocked =
  (blocked: boolean) =>
  async ({ db, form }: ActionContext<"admin">) => {
    const dates = await blockNewsletters(
      db,
      form.getAll("date").filter((value) => typeof value === "string"),
      blocked,
    );
    if (dates.length === 0) return json({ nothingChosen: true }, { status: 400 });
    return redirectWithFlash(
      paths.adminNewsletters(),
      `${blocked ? "Blocked" : "On offer again"}: ${daysInWords(dates)}.`,
    );
  };

export const action = routeAction(
  { access: "admin" },
  { block: setBlocked(true), offer: setBlocked(false) },
);

export default function NewsletterDates() {
  const { newsletters, date, features } = useLoaderData<typeof loader>();
  const sent = useActionData<typeof action>();
  const chosen =
    sent && "lastResult" in sent ? [sent.lastResult.initialValue["date"] ?? []].flat() : [];
  return (
    <>
      <PageHeader
        title="Newsletter Dates"
        subtitle="A blocked newsletter can’t be chosen any more. What was sold in it stays."
      />
      {sent && "nothingChosen" in sent ? (
        <Callout tone="problem">Choose the newsletters first.</Callout>
      ) : null}
      {date === null ? null : features.length > 0 ? (
        <FeatureTable caption={`Features of ${dayInWords(date)}`} features={features} />
      ) : (
        <Callout>{`Nothing is sold for ${dayInWords(date)} yet.`}</Callout>
      )}
      <PostForm>
        <NewsletterTable newsletters={newsletters} chosen={chosen} />
        <div className="buttons">
          <SubmitButton name="intent" value="block">
            Block chosen dates
          </SubmitButton>
          <SubmitButton variant="quiet" name="intent" value="offer">
            Offer chosen dates again
          </SubmitButton>
        </div>
      </PostForm>
    </>
  );
}
