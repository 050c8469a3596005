import { json } from "@remix-run/node";
import { useActionData, useLoaderData, useLocation } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SeenValues, withSeenValues } from "~/components/forms/seen-values";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { PageHeader } from "~/components/ui/page-header";
import { unavailable } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { formErrorResponse, getRequiredFields, parseForm } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { updateUntouched } from "~/http/seen-values.server";
import { isStripeConfigured } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { NOT_SET_UP } from "~/modules/billing/payment-errors.server";
import {
  findInvoiceDetails,
  invoiceDetailsSchema,
  setInvoiceDetails,
  type InvoiceDetails,
} from "~/modules/purchases/invoice-details.server";
import { INVOICE_LIMITS } from "~/modules/purchases/invoice-limits";

export const handle = { title: "Invoices" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

export const loader = routeLoader({ access: "signed in" }, async ({ session }) => {
  try {
    const details = await findInvoiceDetails(session.user.id);
    return json({ details, required: getRequiredFields(invoiceDetailsSchema) });
  } catch (error) {
    if (classifyStripeError(error)) throw unavailable();
    throw error;
  }
});

const NO_ANSWER =
  "Our payment provider didn’t answer, so we can’t tell whether this was saved. Please try again in a few minutes.";

const NO_DETAILS: InvoiceDetails = {
  name: "",
  line1: "",
  line2: "",
  city: "",
  state: "",
  postal_code: "",
  country: "United States",
};
/** An address is changed as a whole. Otherwise, parts of two addresses could be mixed. */
const ADDRESS = ["line1", "line2", "city", "state", "postal_code", "country"];

async function save({ form, session }: ActionContext<"signed in">) {
  let submission = parseForm(form, invoiceDetailsSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  const refuse = (text: string) =>
    formErrorResponse(submission, { errors: { "": [text] }, status: 503 });
  if (!isStripeConfigured()) return refuse(NOT_SET_UP);
  try {
    // Someone who stopped getting invoices in another tab meanwhile has to enter the details again.
    const saved = (await findInvoiceDetails(session.user.id)) ?? NO_DETAILS;
    submission = parseForm(updateUntouched(form, { ...saved }, ADDRESS), invoiceDetailsSchema);
    if (submission.status !== "success") return formErrorResponse(submission);
    await setInvoiceDetails(session.user, submission.value);
  } catch (error) {
    const failure = classifyStripeError(error);
    if (failure === "refused")
      return formErrorResponse(submission, { errors: { country: ["Please check the address."] } });
    if (failure) return refuse(NO_ANSWER);
    throw error;
  }
  return redirectWithFlash(
    paths.invoices(),
    "Saved. From your next purchase on, you’ll get an invoice with this name and address.",
  );
}

async function stop({ session }: ActionContext<"signed in">) {
  try {
    if (isStripeConfigured()) await setInvoiceDetails(session.user, null);
  } catch (error) {
    if (!classifyStripeError(error)) throw error;
    return redirectWithFlash(paths.invoices(), { tone: "problem", text: NO_ANSWER });
  }
  return redirectWithFlash(paths.invoices(), "You won’t get invoices anymore, only receipts.");
}

export const action = routeAction({ access: "signed in" }, (context) =>
  context.form.get("intent") === "stop" ? stop(context) : save(context),
);

export default function Invoices() {
  const { details, required } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { key: visit } = useLocation();
  const form = createFormState<keyof InvoiceDetails | "seen">({
    id: "invoices",
    lastResult: answer && "lastResult" in answer ? answer.lastResult : null,
    saved: withSeenValues({ ...(details ?? NO_DETAILS) }),
    required,
  });
  return (
    <>
      <PageHeader
        title="Invoices"
        parent={{ to: paths.purchases(), label: "Purchases" }}
        subtitle="Every purchase has a receipt. If your bookkeeper needs invoices, enter the name and address to put on them. Only Stripe, our payment provider, stores what you enter."
      />
      <ErrorSummary form={form} />
      {/* The key replaces the form after each save, so that it shows what is saved. */}
      <PostForm key={visit} form={form}>
        <SeenValues field={form.field("seen")} />
        <TextField
          field={form.field("name")}
          limit={INVOICE_LIMITS.name}
          label="Business name"
          autoComplete="organization"
        />
        <TextField
          field={form.field("line1")}
          limit={INVOICE_LIMITS.line1}
          label="Street address"
          autoComplete="address-line1"
        />
        <TextField
          field={form.field("line2")}
          limit={INVOICE_LIMITS.line2}
          label="Suite or floor"
          optional
          autoComplete="address-line2"
        />
        <TextField
          field={form.field("city")}
          limit={INVOICE_LIMITS.city}
          label="City"
          autoComplete="address-level2"
        />
        <TextField
          field={form.field("state")}
          limit={INVOICE_LIMITS.state}
          label="State or province"
          optional
          autoComplete="address-level1"
        />
        <TextField
          field={form.field("postal_code")}
          limit={INVOICE_LIMITS.postal_code}
          label="Postal code"
          autoComplete="postal-code"
          short
        />
        <TextField
          field={form.field("country")}
          limit={INVOICE_LIMITS.country}
          label="Country"
          autoComplete="country-name"
        />
        <div>
          <SubmitButton>{details ? "Save" : "Get invoices"}</SubmitButton>
        </div>
      </PostForm>
      {details ? (
        <PostForm intent="stop">
          <SubmitButton variant="quiet">Stop getting invoices</SubmitButton>
        </PostForm>
      ) : null}
    </>
  );
}
