import { ConfigurationError } from "~/env.server";
import { explainDataError } from "~/http/explain-data-error.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { DataError } from "~/integrations/supabase/data.server";

/** What a command prints when it fails: a sentence where one is known, else the error with its stack. */
export function explainFailure(error: unknown): unknown {
  if (error instanceof DataError) return explainDataError(error);
  const { code } = Object(error) as { code?: unknown };
  const known =
    error instanceof ConfigurationError ||
    classifyStripeError(error) !== null ||
    String(code).startsWith("ERR_PARSE_ARGS");
  return known ? (error as Error).message : error;
}
