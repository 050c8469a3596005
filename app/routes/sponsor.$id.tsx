import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { VersionConflict } from "~/components/forms/version-conflict";
import { Badge } from "~/components/ui/badge";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { versionConflictMessage, applySelectedVersions } from "~/http/version-conflict";
import { FIELD_LABELS, FIELD_NAMES } from "~/modules/sponsorships/fields";
import { goneSentences } from "~/modules/sponsorships/gone-dates";
import { PaidOrder } from "~/modules/sponsorships/paid-order";
import { closePayment, leadToPayment } from "~/modules/sponsorships/payment.server";
import { goneDates, isStillToCome, withHeld } from "~/modules/sponsorships/rules";
import { changesOrder, saveSponsorship } from "~/modules/sponsorships/save-sponsorship.server";
import { sponsorshipSchema } from "~/modules/sponsorships/schema.server";
import { SponsorshipEditor } from "~/modules/sponsorships/sponsorship-editor";
import {
  asksForPreview,
  giveBack,
  giveBackUnsaved,
  judgeSponsorship,
  judgeWords,
  showTyped,
  type EditorAnswer,
} from "~/modules/sponsorships/sponsorship-form.server";
import {
  editableValues,
  newsletterDates,
  ownBusinesses,
  ownSponsorship,
  type Sponsorship,
} from "~/modules/sponsorships/sponsorship.server";
import { valueInWords } from "~/modules/sponsorships/value-in-words";

export const handle = { title: "Newsletter feature" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

export const loader = routeLoader({ access: "signed in" }, async ({ db, params, session }) => {
  const [sponsorship, businesses, all] = await Promise.all([
    ownSponsorship(db, session.user.id, params.id),
    ownBusinesses(db, session.user.id),
    newsletterDates(db),
  ]);
  const { paid, dates, holding, placeId, business } = sponsorship;
  const offered = withHeld(all, holding);
  return json({
    sponsorship,
    mendable: isStillToCome(dates, new Date()),
    saved: editableValues(sponsorship),
    offered: paid ? [] : offered,
    gone: paid ? [] : goneDates(dates, offered, new Date()),
    businesses: businesses.some(({ id }) => id === placeId)
      ? businesses
      : [...businesses, { id: placeId, name: business }],
    required: getRequiredFields(sponsorshipSchema),
  });
});

export const action = routeAction(
  { access: "signed in", refill: async ({ form }) => showTyped(form) },
  async (context) => {
    const { form, db, params, session } = context;
    const current = await ownSponsorship(db, session.user.id, params.id);
    if (asksForPreview(form)) return showTyped(form);
    applySelectedVersions(form, editableValues(current));
    return current.paid ? saveWords(context, current) : saveOrder(context, current);
  },
);

type Context = ActionContext<"signed in">;

async function saveWords({ form, db }: Context, current: Sponsorship) {
  const judged = judgeWords(form);
  if ("refused" in judged) return judged.refused;
  if (!isStillToCome(current.dates, new Date()))
    return giveBack(judged.submission, { status: 409, errors: { "": [GONE_OUT] } });
  if ((await saveSponsorship(db, current, judged.values)) === "stale") {
    return giveBack(judged.submission, {
      status: 409,
      stale: true,
      errors: { "": [versionConflictMessage("order")] },
    });
  }
  return redirectWithFlash(paths.sponsorship(current.id), "Your feature is saved.");
}

async function saveOrder({ form, db, session, log }: Context, current: Sponsorship) {
  const judged = judgeSponsorship(form, withHeld(await newsletterDates(db), current.holding));
  if ("refused" in judged) return judged.refused;
  const { submission, values } = judged;
  const stale = () =>
    giveBack(submission, {
      status: 409,
      stale: true,
      errors: { "": [versionConflictMessage("order")] },
    });
  if (values.version !== undefined && values.version !== current.version) return stale();
  try {
    if (changesOrder(current, values)) await closePayment({ db, log }, current.id);
    if ((await saveSponsorship(db, current, values)) === "stale") return stale();
  } catch (error) {
    return giveBackUnsaved(submission, error);
  }
  if (values.sponsorship_dates.length === 0)
    return redirectWithFlash(
      paths.sponsorships(),
      "Your order is saved. It is paid once it has dates.",
    );
  return leadToPayment({ db, session, log }, current.id);
}

const GONE_OUT = "The newsletter has gone out: what it says can’t be changed any more.";

export default function OneSponsorship() {
  const { sponsorship, mendable, saved, offered, gone, businesses, required } =
    useLoaderData<typeof loader>();
  const answer: EditorAnswer | undefined = useActionData<typeof action>();
  // A form that came back is still an edit of the version it began from; being shown the newer one ends that.
  const typed = answer?.stale ? undefined : answer?.lastResult.initialValue["version"];
  const hidden = { version: typeof typed === "string" ? typed : String(sponsorship.version) };
  return (
    <>
      <PageHeader
        title={sponsorship.business}
        kicker="Newsletter Features"
        subtitle={
          sponsorship.paid ? (
            <Badge tone="published">Paid</Badge>
          ) : (
            <Badge tone="waiting">Not paid yet</Badge>
          )
        }
      />
      {gone.length > 0 && answer === undefined ? (
        <Callout tone="problem" title="Some of your dates are gone">
          <ul>
            {goneSentences(gone).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Callout>
      ) : null}
      {answer?.stale ? (
        <VersionConflict
          fields={FIELD_NAMES.map((name) => ({ name, label: FIELD_LABELS[name] }))}
          saved={saved}
          typed={answer.lastResult.initialValue}
          words={(field, value) =>
            (field === "place_id" && businesses.find(({ id }) => String(id) === value)?.name) ||
            valueInWords(field, value)
          }
          form="sponsorship"
        />
      ) : null}
      {sponsorship.paid ? (
        <PaidOrder
          sponsorship={sponsorship}
          mendable={mendable}
          answer={answer}
          saved={saved}
          hidden={hidden}
        />
      ) : (
        <SponsorshipEditor
          businesses={businesses}
          offered={offered}
          gone={gone}
          required={required}
          answer={answer}
          saved={saved}
          hidden={hidden}
        />
      )}
    </>
  );
}
