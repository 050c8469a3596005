import { describeKeyProblem } from "~/text/supabase-keys.server";

/** The Supabase that the suite runs against. */
export interface Target {
  /** Without a slash at the end. */
  url: string;
  publishableKey: string;
  secretKey: string;
  /** The domain of the addresses that sign up. Nothing sent there is read. */
  emailDomain: string;
}

/** No one receives emails there. */
const NO_ONES_DOMAIN = "conformance.example";

/** A variable is missing or wrong. The message says which, and what it should be. */
export class TargetError extends Error {
  override name = "TargetError";
}

/** Reads what to run against from an environment. @throws TargetError */
export function readTarget(source: Record<string, string | undefined>): Target {
  const read = (name: string) => source[name]?.trim() ?? "";
  const names = ["SUPABASE_URL", "SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY"] as const;
  const missing = names.filter((name) => !read(name));
  if (missing.length > 0)
    throw new TargetError(
      `${missing.join(", ")}: not set. Set all three in this shell: ${names.join(", ")}. The file .env is not ` +
        "read, so that the suite never runs against the project of your dashboard by accident.",
    );
  const [url, publishableKey, secretKey] = names.map(read) as [string, string, string];
  if (
    !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "") ||
    new URL(url).pathname !== "/"
  )
    throw new TargetError(
      "SUPABASE_URL is not the address of a project, such as https://abcdefgh.supabase.co, with no path after it.",
    );
  for (const problem of [
    describeKeyProblem("SUPABASE_PUBLISHABLE_KEY", publishableKey),
    describeKeyProblem("SUPABASE_SECRET_KEY", secretKey),
  ])
    if (problem) throw new TargetError(`${problem}.`);
  const emailDomain = read("CONFORMANCE_EMAIL_DOMAIN") || NO_ONES_DOMAIN;
  if (!/^[a-z\d-]+(\.[a-z\d-]+)+$/i.test(emailDomain))
    throw new TargetError("CONFORMANCE_EMAIL_DOMAIN is not a domain, such as example.org.");
  return { url: new URL(url).origin, publishableKey, secretKey, emailDomain };
}
