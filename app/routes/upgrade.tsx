import { json, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { createFormState, type FormState } from "~/components/forms/form-state";
import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { Icon } from "~/components/ui/icon";
import { Illustration } from "~/components/ui/illustration";
import { TextLink } from "~/components/ui/text-link";
import { unavailable } from "~/http/errors.server";
import { parseForm, formErrorResponse, getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { LoginForm } from "~/modules/accounts/login-form";
import { loginSchema } from "~/modules/accounts/schemas.server";
import { Benefits } from "~/modules/billing/benefits";
import { abandonPayment, checkPayment } from "~/modules/billing/check-payment.server";
import { openCheckout } from "~/modules/billing/checkout.server";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-refusals.server";
import { paymentReturned, type PaymentReturned } from "~/modules/billing/payment-returned.server";
import { PaymentReturnedNotice } from "~/modules/billing/payment-returned";
import { PlanList } from "~/modules/billing/plan-list";
import { TestimonialQuote } from "~/modules/billing/testimonial-quote";
import { TESTIMONIALS } from "~/modules/billing/testimonials";
import {
  upgradableListings,
  upgradeSchema,
  type Upgradable,
} from "~/modules/billing/upgrade.server";
import { UpgradeForm } from "~/modules/billing/upgrade-form";
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
        here: paths.upgrade(wanted ?? undefined),
        required: getRequiredFields(loginSchema),
      });
    const [{ listings, featured }, returned] = await Promise.all([
      upgradableListings(db, session.user.id),
      paymentReturned(db, url),
    ]);
    const chosen =
      listings.length === 1
        ? listings[0]!.id
        : (listings.find(({ id }) => id === wanted)?.id ?? null);
    return json({ kind: "signed in" as const, listings, featured, returned, chosen });
  },
);

async function upgrade({ db, form, session, log }: ActionContext<"signed in">) {
  const submission = parseForm(form, upgradeSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  const { place, plan } = submission.value;
  try {
    const { url } = await openCheckout(
      { db, buyer: session.user, log },
      { kind: "upgrade", placeId: place, plan },
    );
    return redirect(url, { status: 303 });
  } catch (error) {
    if (error instanceof PaymentRefused)
      return formErrorResponse(submission, { errors: { place: [error.message] }, status: 409 });
    if (error instanceof PaymentUnavailable)
      return formErrorResponse(submission, { errors: { "": [error.message] }, status: 503 });
    throw error;
  }
}

export const action = routeAction(
  { access: "signed in" },
  { upgrade, "check-payment": checkPayment, "abandon-checkout": abandonPayment },
);

export default function Upgrade() {
  const data = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const bought =
    data.kind === "signed in" && data.returned?.kind === "upgrade" ? data.returned : null;
  if (bought?.state === "paid" && data.kind === "signed in") {
    return (
      <Congratulations
        listing={bought.listing}
        receiptUrl={bought.receiptUrl}
        more={data.listings.length > 0}
      />
    );
  }
  if (bought?.state === "confirming") return <Confirming returned={bought} />;

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
      {data.kind === "signed in" ? <PaymentReturnedNotice returned={data.returned} /> : null}
      <div className="sales-head">
        <div>
          <p className="kicker">
            <Icon name="star" /> The Featured tier
          </p>
          <h1>Be the first place they see.</h1>
          <p>
            250K+ people open the app to look for somewhere of their own. A Featured listing stands
            where they look first.
          </p>
          <Benefits />
        </div>
        <Illustration name="featured-pin" />
      </div>
      {data.kind === "signed out" ? <PlanList level="h2" /> : <Choose {...data} form={form} />}
      <div className="proof">
        {data.kind === "signed out" ? (
          <SignInFirst here={data.here} required={data.required} />
        ) : null}
        <TestimonialQuote testimonial={TESTIMONIALS[0]} />
      </div>
    </>
  );
}

function SignInFirst({ here, required }: { here: string; required: string[] }) {
  return (
    <section className="sales-sheet" aria-labelledby="sign-in">
      <h2 id="sign-in">Sign in to your account</h2>
      <p>Then choose which of your listings is to be featured, and how you’d like to pay.</p>
      <LoginForm
        form={createFormState<"email" | "password">({ id: "login", required })}
        redirectTo={here}
      />
    </section>
  );
}

interface ChooseProps {
  form: FormState<"place" | "plan">;
  listings: Upgradable[];
  featured: number;
}

function Choose({ form, listings, featured }: ChooseProps) {
  if (listings.length > 0) return <UpgradeForm form={form} listings={listings} />;
  return featured > 0 ? (
    <EmptyState
      title="All of your listings are Featured"
      action={<ButtonLink to={paths.listings()}>Go to your listings</ButtonLink>}
    >
      Thank you for being a Founding Supporter!
    </EmptyState>
  ) : (
    <EmptyState
      title="First, put your organization on the map"
      illustration="map"
      action={<ButtonLink to={paths.newListing()}>Add New Listing</ButtonLink>}
    >
      Once you have a listing, you can have it featured.
    </EmptyState>
  );
}

/** Nothing to choose and nothing to pay again: the payment is on its way. */
function Confirming({ returned }: { returned: PaymentReturned }) {
  return (
    <div className="congratulations">
      <Illustration name="featured-pin" />
      <h1>Almost there</h1>
      <PaymentReturnedNotice returned={returned} />
      <ButtonLink variant="quiet" to={paths.listings()}>
        See your listings
      </ButtonLink>
    </div>
  );
}

function Congratulations({
  listing,
  receiptUrl,
  more,
}: {
  listing: string | null;
  receiptUrl: string | null;
  more: boolean;
}) {
  return (
    <div className="congratulations">
      <Illustration name="featured-pin" />
      <p className="kicker">
        <Icon name="star" /> Founding Supporter
      </p>
      <h1>Congratulations, you’re a Founding Supporter!</h1>
      <p>
        {listing ? `“${listing}”` : "Your listing"} is Featured from now on. Thank you: you keep
        this map going for everybody who needs it.
      </p>
      <div className="buttons">
        <ButtonLink to={paths.listings()}>See your listings</ButtonLink>
        {more ? (
          <ButtonLink variant="quiet" to={paths.upgrade()}>
            Upgrade another listing
          </ButtonLink>
        ) : null}
        {receiptUrl ? <TextLink href={receiptUrl}>Receipt</TextLink> : null}
      </div>
    </div>
  );
}
