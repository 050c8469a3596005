import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { createFormState } from "~/components/forms/form-state";
import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { Icon } from "~/components/ui/icon";
import { TextLink } from "~/components/ui/text-link";
import { env } from "~/env.server";
import { unavailable } from "~/http/errors.server";
import { getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { LoginForm } from "~/modules/accounts/login-form";
import { loginSchema } from "~/modules/accounts/schemas.server";
import { CheckoutReturnCallout } from "~/modules/billing/checkout-return";
import {
  checkoutReturnHandlers,
  findCheckoutReturn,
} from "~/modules/billing/checkout-return.server";
import { FeaturedBenefits, PlanList } from "~/modules/billing/featured-offer";
import { getPaymentTerms } from "~/modules/billing/payment-terms.server";
import { TestimonialQuote } from "~/modules/billing/testimonials";
import { listUpgradableListings, upgrade } from "~/modules/billing/upgrade.server";
import { UpgradeForm } from "~/modules/billing/upgrade-form";
import { UpgradeConfirming, UpgradeCongratulations } from "~/modules/billing/upgrade-result";
import { trackVisitor } from "~/modules/privacy/tracking-consent.server";

export const handle = { title: "Upgrade", bare: true, open: true };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

export const loader = routeLoader(
  { access: "open" },
  async ({ db, request, session, sessionState, url, log }) => {
    if (sessionState === "unknown") throw unavailable();
    const wanted = parseRowId(url.searchParams.get("place"));
    await trackVisitor({ request, session }, { name: "viewed_upgrade_page" }, log);
    if (!session)
      return json({
        kind: "signed out" as const,
        testimonial: env().testimonials[0],
        here: paths.upgrade(wanted ?? undefined),
        required: getRequiredFields(loginSchema),
      });
    const [{ listings, featured, leftOut }, returned] = await Promise.all([
      listUpgradableListings(db, session.user.id),
      findCheckoutReturn(db, url, session.user.id),
    ]);
    const chosen =
      listings.length === 1
        ? listings[0]!.id
        : (listings.find(({ id }) => id === wanted)?.id ?? null);
    return json({
      kind: "signed in" as const,
      testimonial: env().testimonials[0],
      listings,
      featured,
      leftOut,
      returned,
      chosen,
      terms: getPaymentTerms("upgrade", session.user),
    });
  },
);

export const action = routeAction({ access: "signed in" }, { upgrade, ...checkoutReturnHandlers });

export default function Upgrade() {
  const data = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const bought =
    data.kind === "signed in" && data.returned?.kind === "upgrade" ? data.returned : null;
  if (bought?.state === "paid" && data.kind === "signed in") {
    return (
      <UpgradeCongratulations
        listing={bought.listing}
        isUnseen={bought.isUnseen}
        receiptUrl={bought.receiptUrl}
        more={data.listings.length > 0}
      />
    );
  }
  if (bought?.state === "confirming" || bought?.state === "on-its-way")
    return <UpgradeConfirming returned={bought} />;

  const chosen = data.kind === "signed in" ? data.chosen : null;
  const form = createFormState<"place" | "plan">({
    id: "upgrade",
    lastResult: answer && "lastResult" in answer ? answer.lastResult : null,
    saved: {
      ...(chosen === null ? {} : { place: String(chosen) }),
      ...(bought?.plan ? { plan: bought.plan } : {}),
    },
    required: ["place"],
  });
  return (
    <>
      <ErrorSummary form={form} />
      {data.kind === "signed in" ? (
        <p>
          <TextLink to={paths.listings()}>Back to Business Listings</TextLink>
        </p>
      ) : null}
      {data.kind === "signed in" ? <CheckoutReturnCallout returned={data.returned} /> : null}
      {data.kind === "signed in" && data.terms.isRefused ? (
        <Callout>{data.terms.text}</Callout>
      ) : null}
      <div className="night pitch">
        <div>
          <p className="kicker">
            <Icon name="star" /> The Featured tier
          </p>
          <h1>Be the first place they see.</h1>
          <p>
            250K+ people open the app to find a place of their own. Featured listings show up first.
          </p>
          <FeaturedBenefits />
          <TestimonialQuote testimonial={data.testimonial} />
        </div>
        {data.kind === "signed out" ? <Plans /> : <UpgradeForm {...data} form={form} />}
      </div>
      {data.kind === "signed out" ? (
        <SignInFirst here={data.here} required={data.required} />
      ) : null}
    </>
  );
}

/** The plans for someone who isn’t signed in, and the way to choose one. */
function Plans() {
  return (
    <div className="pay">
      <div className="card">
        <PlanList />
      </div>
      <ButtonLink className="btn-gold" href="#sign-in">
        Sign in to upgrade
      </ButtonLink>
    </div>
  );
}

function SignInFirst({ here, required }: { here: string; required: string[] }) {
  return (
    <div className="card pitch">
      <hgroup>
        <h2 id="sign-in">Sign in to your account</h2>
        <p>Then choose a listing to feature and a plan.</p>
      </hgroup>
      <section className="fields" aria-labelledby="sign-in">
        <LoginForm
          form={createFormState<"email" | "password">({ id: "login", required })}
          redirectTo={here}
        />
      </section>
    </div>
  );
}
