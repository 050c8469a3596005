import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { FeatureTable, NewsletterTable } from "~/modules/sponsorships/newsletter-tables";
import {
  blockNewsletters,
  listFeatures,
  listUpcomingNewsletters,
} from "~/modules/sponsorships/newsletters.server";
import { formatDays, isNewsletterDay } from "~/modules/sponsorships/rules";
import { formatFullDate } from "~/text/dates";
import { SPONSORSHIP_REFUSALS } from "~/modules/sponsorships/refusals";

export const handle = { title: "Newsletter Dates" };

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const dateParam = url.searchParams.get("date");
  const date = dateParam !== null && isNewsletterDay(dateParam) ? dateParam : null;
  const [newsletters, features] = await Promise.all([
    listUpcomingNewsletters(db),
    date === null ? null : listFeatures(db, date),
  ]);
  return json({ newsletters, date, features: features ?? [] });
});

const setBlocked =
  (blocked: boolean) =>
  async ({ db, form }: ActionContext<"admin">) => {
    const dates = await blockNewsletters(
      db,
      form.getAll("date").filter((value) => typeof value === "string"),
      blocked,
    );
    if (dates.length === 0) return json({ noneSelected: true }, { status: 400 });
    return redirectWithFlash(
      paths.adminNewsletters(),
      `${blocked ? "Blocked" : "On offer again"}: ${formatDays(dates)}.`,
    );
  };

export const action = routeAction(
  { access: "admin", refusals: SPONSORSHIP_REFUSALS },
  { block: setBlocked(true), offer: setBlocked(false) },
);

export default function NewsletterDates() {
  const { newsletters, date, features } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const selected =
    answer && "lastResult" in answer ? [answer.lastResult.initialValue["date"] ?? []].flat() : [];
  return (
    <>
      <PageHeader
        title="Newsletter Dates"
        subtitle="A blocked newsletter can’t be chosen any more. What was sold in it stays."
      />
      {answer && "noneSelected" in answer ? (
        <Callout tone="problem">Choose the newsletters first.</Callout>
      ) : null}
      {date === null ? null : features.length > 0 ? (
        <FeatureTable caption={`Features of ${formatFullDate(date)}`} features={features} />
      ) : (
        <Callout>{`Nothing is sold for ${formatFullDate(date)} yet.`}</Callout>
      )}
      <PostForm>
        <NewsletterTable newsletters={newsletters} selected={selected} />
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
