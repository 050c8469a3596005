import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { CompareVersions } from "~/components/forms/compare-versions";
import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { requireFormId } from "~/http/form-id.server";
import { getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { newerVersionMessage } from "~/http/version-conflict";
import { abandonCheckouts } from "~/modules/billing/checkout.server";
import { getSponsorshipTerms } from "~/modules/billing/payment-terms.server";
import { SPONSORSHIP } from "~/modules/billing/prices";
import { readCancellationDays } from "~/modules/sponsorships/cancellation.server";
import { payForSponsorship } from "~/modules/sponsorships/payment.server";
import { formatDecimal } from "~/modules/sponsorships/rules";
import { addSponsorship } from "~/modules/sponsorships/save-sponsorship.server";
import { sponsorshipSchema } from "~/modules/sponsorships/schema.server";
import { SponsorshipEditor } from "~/modules/sponsorships/sponsorship-editor";
import {
  isPreviewRequest,
  refillSponsorship,
  saveErrorResponse,
  sponsorshipErrorResponse,
  validateSponsorship,
  type SponsorshipFormData,
} from "~/modules/sponsorships/sponsorship-form.server";
import {
  listOfferedNewsletters,
  listOwnBusinesses,
} from "~/modules/sponsorships/sponsorship.server";

export const handle = { title: "Sponsor a newsletter" };

const SAVED = "Order saved. You can pay once you’ve picked dates.";

export const loader = routeLoader({ access: "signed in" }, async ({ db, session, url }) => {
  const submissionId = requireFormId(url);
  const [businesses, offered, deadline] = await Promise.all([
    listOwnBusinesses(db, session.user.id),
    listOfferedNewsletters(db),
    readCancellationDays(db),
  ]);
  return json({
    businesses,
    offered,
    required: getRequiredFields(sponsorshipSchema),
    submissionId,
    terms: getSponsorshipTerms(deadline, session.user),
  });
});

export const action = routeAction(
  { access: "signed in", refill: async ({ form }) => refillSponsorship(form) },
  async ({ form, db, session, log }) => {
    if (isPreviewRequest(form)) return refillSponsorship(form);
    const result = validateSponsorship(form, await listOfferedNewsletters(db));
    if ("errorResponse" in result) return result.errorResponse;
    try {
      const order = await addSponsorship(db, session.user.id, result.values, (id) =>
        abandonCheckouts({ db, log }, { sponsorship_id: id }),
      );
      if ("newer" in order) {
        return sponsorshipErrorResponse(result.submission, {
          status: 409,
          editPage: paths.sponsorship(order.newer),
          errors: { "": [newerVersionMessage("order")] },
        });
      }
      if (order.paid)
        return redirectWithFlash(paths.sponsorships(), "This order is already paid for.");
      if (result.values.sponsorship_dates.length === 0)
        return redirectWithFlash(paths.sponsorships(), SAVED);
      return await payForSponsorship({ db, session, log }, order.id);
    } catch (error) {
      return saveErrorResponse(result.submission, error);
    }
  },
);

const PARENT = { to: paths.sponsorships(), label: "Newsletter Features" };

export default function NewSponsorship() {
  const { businesses, offered, required, submissionId, terms } = useLoaderData<typeof loader>();
  const answer: SponsorshipFormData | undefined = useActionData<typeof action>();
  const [only] = businesses;
  // The last one may have left them while they typed, and what they typed is theirs.
  if (only === undefined && answer === undefined) {
    return (
      <>
        <PageHeader title="Sponsor a newsletter" parent={PARENT} />
        <EmptyState
          title="Add a listing first"
          illustration="map"
          action={<ButtonLink to={paths.newListing()}>Add New Listing</ButtonLink>}
        >
          A newsletter feature highlights one of your business listings. Add one to get started.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title="Sponsor a newsletter"
        parent={PARENT}
        subtitle="Be one of ten organizations in a newsletter with 100K+ subscribers."
      />
      {terms.isRefused ? <Callout>{terms.text}</Callout> : null}
      <SponsorshipEditor
        businesses={businesses}
        offered={offered}
        required={required}
        answer={answer}
        saved={{
          place_id: businesses.length === 1 ? String(only?.id) : "",
          rate: formatDecimal(SPONSORSHIP.defaultCents),
        }}
        versions={<CompareVersions page={answer?.editPage} form="sponsorship" />}
        terms={terms}
        hidden={{ submission_id: submissionId }}
      />
    </>
  );
}
