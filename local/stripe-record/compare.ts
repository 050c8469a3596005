import type { Answers } from "./scenario";

/**
 * What depends on the settings of an account, on its bank, or on luck, and not on the request. These
 * fields are in the recordings, but they are not compared.
 */
const NOT_COMPARED = new Set([
  "account_country",
  "account_name",
  "adaptive_pricing",
  "authorization_code",
  "balance_transaction",
  "branding_settings",
  "business_profile",
  "calculated_statement_descriptor",
  "checks",
  "destination_details",
  "doc_url",
  "electronic_commerce_indicator",
  "exp_month",
  "exp_year",
  "message",
  "network_transaction_id",
  "networks",
  "outcome",
  "payment_method_configuration",
  "payment_method_configuration_details",
  "payment_method_options",
  "payment_method_types",
  "preferred_locales",
  "radar_options",
  "receipt_number",
  "regulated_status",
  "request_log_url",
  "statement_descriptor",
  "tax_behavior",
  "transaction_link_id",
  "webhooks_delivered_at",
]);

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

/** How a value of the stand-in differs from Stripe's, in the fields that the stand-in has. */
function valueDifferences(standIn: unknown, stripe: unknown, path: string): string[] {
  const [ours, theirs] = [typeOf(standIn), typeOf(stripe)];
  if (ours !== theirs) return [`${path}: ${ours} here, ${theirs} at Stripe`];
  if (Array.isArray(standIn) && Array.isArray(stripe)) {
    if (standIn.length !== stripe.length)
      return [`${path}: ${standIn.length} items here, ${stripe.length} at Stripe`];
    return standIn.flatMap((item, index) =>
      valueDifferences(item, stripe[index], `${path}[${index}]`),
    );
  }
  if (ours === "object") {
    const at = stripe as Record<string, unknown>;
    return Object.entries(standIn as object).flatMap(([name, value]: [string, unknown]) => {
      if (NOT_COMPARED.has(name)) return [];
      const field = `${path}.${name}`;
      return name in at
        ? valueDifferences(value, at[name], field)
        : [`${field}: here, and not at Stripe`];
    });
  }
  return standIn === stripe
    ? []
    : [`${path}: ${JSON.stringify(standIn)} here, ${JSON.stringify(stripe)} at Stripe`];
}

/** How the stand-in's normalized answers differ from the recorded ones: one line for each field. */
export function differences(standIn: Answers, stripe: Answers): string[] {
  const missing = Object.keys(stripe)
    .filter((step) => !(step in standIn))
    .map((step) => `${step}: recorded, and no longer played`);
  const others = Object.entries(standIn).flatMap(([step, answer]) =>
    step in stripe ? valueDifferences(answer, stripe[step], step) : [`${step}: not recorded yet`],
  );
  return [...missing, ...others];
}
