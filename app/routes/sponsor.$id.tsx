import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { useEditedVersion } from "~/components/forms/edited-version";
import { VersionConflict } from "~/components/forms/version-conflict-part";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { getRequiredFields, readField } from "~/http/form.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { applySelectedVersions, compareVersions } from "~/http/version-conflict";
import { getSponsorshipTerms } from "~/modules/billing/payment-terms.server";
import { BILLING_REFUSALS } from "~/modules/billing/refusals";
import {
  cancelDates,
  describeUnpaid,
  explainDispute,
  readCancellationDays,
} from "~/modules/sponsorships/cancellation.server";
import { deleteOrder, explainDeletion } from "~/modules/sponsorships/delete-order.server";
import { describeEditing } from "~/modules/sponsorships/feature-deadline";
import {
  FEATURE_FIELDS,
  FIELD_LABELS,
  FIELD_NAMES,
  formatSponsorshipValue,
} from "~/modules/sponsorships/fields";
import { PaidSponsorship } from "~/modules/sponsorships/paid-sponsorship";
import { SPONSORSHIP_REFUSALS } from "~/modules/sponsorships/refusals";
import {
  addHeldSpots,
  findUnavailableDates,
  hasUpcomingDate,
  listCancelableDates,
} from "~/modules/sponsorships/rules";
import { sponsorshipSchema } from "~/modules/sponsorships/schema.server";
import { DeleteOrder } from "~/modules/sponsorships/delete-order";
import { SponsorshipBadge } from "~/modules/sponsorships/sponsorship-badge";
import { SponsorshipEditor } from "~/modules/sponsorships/sponsorship-editor";
import {
  isPreviewRequest,
  refillSponsorship,
  type SponsorshipFormData,
} from "~/modules/sponsorships/sponsorship-form.server";
import {
  findOwnSponsorship,
  listOfferedNewsletters,
  listOwnBusinesses,
  mayEditFeature,
  noSuchSponsorship,
  toSponsorshipFormValues,
} from "~/modules/sponsorships/sponsorship.server";
import { saveFeature, saveOrder } from "~/modules/sponsorships/update-sponsorship.server";
import { explainUnavailableDates } from "~/modules/sponsorships/unavailable-dates";
import { formatDate } from "~/text/dates";

export const handle = {
  title: "Newsletter feature",
  tabTitle: ({ sponsorship }: SerializeFrom<typeof loader>) =>
    `Order from ${formatDate(sponsorship.createdAt)}: ${sponsorship.business}`,
};
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const params = { id: rowIdParam(noSuchSponsorship) };

export const loader = routeLoader(
  { access: "signed in", params },
  async ({ db, params, session }) => {
    const [sponsorship, businesses, all, deadline] = await Promise.all([
      findOwnSponsorship(db, session.user.id, params.id),
      listOwnBusinesses(db, session.user.id),
      listOfferedNewsletters(db),
      readCancellationDays(db, params.id),
    ]);
    const { paid, dates, heldDates, placeId, business, isUnseen } = sponsorship;
    const offered = addHeldSpots(all, heldDates);
    const left = paid && !(await mayEditFeature(db, sponsorship));
    const coming = hasUpcomingDate(dates, new Date());
    const unavailable = paid ? [] : findUnavailableDates(dates, offered, new Date());
    return json({
      sponsorship,
      editable: coming && !left,
      unseen: paid && !left && coming && isUnseen,
      deadline,
      disputed: explainDispute(sponsorship.dispute),
      cancelable: paid ? listCancelableDates(dates, deadline, new Date()) : [],
      coming,
      editing: left
        ? SPONSORSHIP_REFUSALS.sponsored_listing_left
        : describeEditing(dates, new Date()),
      saved: toSponsorshipFormValues(sponsorship),
      offered: paid ? [] : offered,
      unavailable,
      // As sentences, which are not sent as code to every browser.
      notice: describeUnpaid(sponsorship, explainUnavailableDates(unavailable)),
      deletion: explainDeletion(sponsorship),
      businesses: businesses.some(({ id }) => id === placeId)
        ? businesses
        : [...businesses, { id: placeId, name: business, isPublic: !isUnseen }],
      required: getRequiredFields(sponsorshipSchema),
      terms:
        sponsorship.payment === "confirming" ? null : getSponsorshipTerms(deadline, session.user),
    });
  },
);

export const action = routeAction(
  {
    access: "signed in",
    params,
    refusals: { ...SPONSORSHIP_REFUSALS, ...BILLING_REFUSALS },
    refill: async ({ form }) => refillSponsorship(form),
  },
  async (context) => {
    const { form, db, params, session } = context;
    if (readField(form, "intent") === "delete") return deleteOrder(context, params.id);
    const current = await findOwnSponsorship(db, session.user.id, params.id);
    if (readField(form, "intent") === "cancel-dates") return cancelDates(context, current);
    if (isPreviewRequest(form)) return refillSponsorship(form);
    applySelectedVersions(form, toSponsorshipFormValues(current));
    return current.paid ? saveFeature(context, current) : saveOrder(context, current);
  },
);

export default function OneSponsorship() {
  const {
    sponsorship,
    saved,
    offered,
    unavailable,
    notice,
    deletion,
    businesses,
    required,
    terms,
    ...paid
  } = useLoaderData<typeof loader>();
  const answer: SponsorshipFormData | undefined = useActionData<typeof action>();
  const hidden = { version: useEditedVersion(sponsorship.version, answer) };
  const versions = answer?.stale ? (
    <VersionConflict
      rows={compareVersions(
        // What is paid for stays, whatever a form has that was opened before.
        (sponsorship.paid ? FEATURE_FIELDS : FIELD_NAMES).map((name) => ({
          name,
          label: FIELD_LABELS[name],
        })),
        saved,
        answer.lastResult.initialValue,
        (field, value) =>
          (field === "place_id" && businesses.find(({ id }) => String(id) === value)?.name) ||
          formatSponsorshipValue(field, value),
      )}
      form="sponsorship"
    />
  ) : null;
  return (
    <>
      <PageHeader
        title={<bdi>{sponsorship.business}</bdi>}
        parent={{ to: paths.sponsorships(), label: "Newsletter Features" }}
        subtitle={<SponsorshipBadge order={sponsorship} />}
      />
      {notice && answer === undefined ? (
        <Callout tone={notice.tone} title={notice.title}>
          <ul>
            {notice.sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Callout>
      ) : null}
      {sponsorship.paid ? (
        <PaidSponsorship
          sponsorship={sponsorship}
          {...paid}
          answer={answer}
          saved={saved}
          versions={versions}
          hidden={hidden}
        />
      ) : (
        <SponsorshipEditor
          businesses={businesses}
          offered={offered}
          unavailable={unavailable}
          required={required}
          answer={answer}
          saved={saved}
          versions={versions}
          terms={terms}
          hidden={hidden}
        />
      )}
      {deletion === null ? null : <DeleteOrder hint={deletion} />}
    </>
  );
}
