import { createServiceClient, createUserClient } from "./clients.server";
import { readOutage } from "./supabase-fetch.server";

interface Answer {
  error: { code?: string } | null;
  status: number;
}

/** The two calls that show whether Supabase is ready, by the variable with the key that they use. */
const PROBES: Readonly<Record<string, () => PromiseLike<Answer>>> = {
  SUPABASE_PUBLISHABLE_KEY: () => createUserClient(null).from("categories").select("id").limit(1),
  // Changes nothing: no such attempt was ever counted. Only the service role may call it.
  SUPABASE_SECRET_KEY: () =>
    createServiceClient().rpc("return_rate_token", { bucket: "readiness" }),
};

type ProbeResult = "accepted" | "rejected" | "unavailable";

function toResult({ error, status }: Answer): ProbeResult {
  if (!error) return "accepted";
  if (readOutage(error.code ?? "")) return "unavailable";
  return status === 401 || status === 403 ? "rejected" : "unavailable";
}

interface Readiness {
  /** Whether the database answers; with a rejected key no one knows. */
  available: boolean;
  /** The variables whose key is not accepted, or not for what it must do. */
  rejectedKeys: string[];
}

/** Whether the database answers, and accepts our keys, within the deadline of every Supabase call. */
export async function checkReadiness(): Promise<Readiness> {
  const names = Object.keys(PROBES);
  const results = await Promise.all(names.map(async (name) => toResult(await PROBES[name]!())));
  return {
    available: !results.includes("unavailable"),
    rejectedKeys: names.filter((_, index) => results[index] === "rejected"),
  };
}

/** What is wrong with a key that was rejected. */
export const describeRejectedKey = (name: string): string =>
  `${name} is not accepted by the project at SUPABASE_URL`;
