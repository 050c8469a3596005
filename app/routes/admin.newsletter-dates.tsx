import { json, type TypedResponse } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { SelectionBar } from "~/components/forms/selection-bar";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { Callout, ProblemAlert } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { formErrorResponse, parseForm, type FormErrorData } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import {
  deadlineSchema,
  readCancellationDays,
  setCancellationDays,
} from "~/modules/sponsorships/cancellation.server";
import { FeatureTable, NewsletterTable } from "~/modules/sponsorships/newsletter-tables";
import {
  blockNewsletters,
  listFeatures,
  listUpcomingNewsletters,
} from "~/modules/sponsorships/newsletters.server";
import { formatDays, isNewsletterDay } from "~/modules/sponsorships/rules";
import { formatCount } from "~/text/counts";
import { formatFullDate } from "~/text/dates";
import { keepTogether } from "~/text/keep-together";
import { SPONSORSHIP_REFUSALS } from "~/modules/sponsorships/refusals";

export const handle = { title: "Newsletter Dates" };

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const dateParam = url.searchParams.get("date");
  const date = dateParam !== null && isNewsletterDay(dateParam) ? dateParam : null;
  const [newsletters, features, days] = await Promise.all([
    listUpcomingNewsletters(db),
    date === null ? null : listFeatures(db, date),
    readCancellationDays(db),
  ]);
  return json({ newsletters, date, features: features ?? [], days });
});

type Answer = TypedResponse<{ noneSelected: true } | FormErrorData>;

const setBlocked =
  (blocked: boolean) =>
  async ({ db, form }: ActionContext<"admin">): Promise<Answer> => {
    const dates = await blockNewsletters(
      db,
      form.getAll("date").filter((value) => typeof value === "string"),
      blocked,
    );
    if (dates.length === 0) return json({ noneSelected: true as const }, { status: 400 });
    return redirectWithFlash(
      paths.adminNewsletters(),
      `${blocked ? "Blocked" : "Reopened"}: ${formatDays(dates)}.`,
    );
  };

async function setDeadline({ db, form }: ActionContext<"admin">): Promise<Answer> {
  const submission = parseForm(form, deadlineSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  const { days } = submission.value;
  await setCancellationDays(db, days);
  return redirectWithFlash(
    paths.adminNewsletters(),
    `Sponsors can now cancel until ${formatCount(days, "day")} before a newsletter.`,
  );
}

export const action = routeAction(
  { access: "admin", refusals: SPONSORSHIP_REFUSALS },
  { block: setBlocked(true), offer: setBlocked(false), deadline: setDeadline },
);

export default function NewsletterDates() {
  const { newsletters, date, features, days } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const lastResult = answer && "lastResult" in answer ? answer.lastResult : null;
  const selected = [lastResult?.initialValue["date"] ?? []].flat();
  const form = createFormState<"days">({
    id: "deadline",
    lastResult,
    saved: { days: String(days) },
    required: ["days"],
  });
  return (
    <>
      <PageHeader
        title="Newsletter Dates"
        subtitle="Blocked dates can’t be booked. Existing bookings stay."
      />
      <ErrorSummary form={form} />
      {answer && "noneSelected" in answer ? (
        <ProblemAlert problem="Select some dates first." />
      ) : null}
      {date === null ? null : features.length > 0 ? (
        <FeatureTable
          caption={`Features on ${keepTogether(formatFullDate(date))}`}
          features={features}
        />
      ) : (
        <Callout>{`Nothing has been booked for ${formatFullDate(date)} yet.`}</Callout>
      )}
      <PostForm
        // None is selected once they are blocked or reopened, as without script.
        key={newsletters.map(({ blocked }) => Number(blocked)).join("")}
        className="selection-form"
        version={newsletters.map((newsletter) => newsletter.date)}
      >
        <NewsletterTable newsletters={newsletters} selected={selected} />
        <SelectionBar hint="Select dates to block or reopen them.">
          <SubmitButton name="intent" value="block">
            Block
          </SubmitButton>
          <SubmitButton variant="quiet" name="intent" value="offer">
            Reopen
          </SubmitButton>
        </SelectionBar>
      </PostForm>
      <section className="fields" aria-labelledby="deadline-title">
        <h2 id="deadline-title">Cancellations</h2>
        <PostForm form={form} intent="deadline">
          <TextField
            field={form.field("days")}
            label="Sponsors can cancel until this many days before a newsletter"
            hint="They get a refund, and the spot opens up right away."
            inputMode="numeric"
            short
          />
          <div>
            <SubmitButton variant="quiet" busyText="Saving…">
              Save
            </SubmitButton>
          </div>
        </PostForm>
      </section>
    </>
  );
}
