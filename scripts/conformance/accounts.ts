import { randomBytes } from "node:crypto";

import { signIn, type Tokens } from "~/integrations/supabase/auth.server";

import type { Target } from "./target";
import { outcomeOf, patiently, type Wire } from "./wire";

export const PASSWORD = "correct horse 42 staples";

/** What a link in an email is for, as the auth service names it. */
type LinkType = "signup" | "recovery" | "magiclink" | "email_change_current" | "email_change_new";

export interface Account {
  id: string;
  email: string;
  tokens: Tokens;
}

/** The accounts of one run. It makes them, and removes them at the end. */
export class Accounts {
  readonly #wire: Wire;
  readonly #domain: string;
  readonly #run = randomBytes(6).toString("hex");
  readonly #addresses: string[] = [];

  constructor(wire: Wire, { emailDomain }: Target) {
    this.#wire = wire;
    this.#domain = emailDomain;
  }

  /** An address that has no account yet. One that it gets is removed at the end. */
  newAddress(): string {
    const address = `conformance-${this.#run}-${this.#addresses.length + 1}@${this.#domain}`;
    this.#addresses.push(address);
    return address;
  }

  /** A user whose address is confirmed, signed in. No email is sent. */
  async create(): Promise<Account> {
    const email = this.newAddress();
    const answer = await this.#wire.admin("POST", "users", {
      email,
      password: PASSWORD,
      email_confirm: true,
      user_metadata: { full_name: "Conformance Check" },
    });
    if (answer.status !== 200) throw new Error(`POST /auth/v1/admin/users: ${outcomeOf(answer)}`);
    return { id: String(answer.body["id"]), email, tokens: await this.signIn(email) };
  }

  /** Begins another session of an account. */
  async signIn(email: string, password = PASSWORD): Promise<Tokens> {
    const signedIn = await patiently(
      () => signIn(email, password).catch((error: Error & { code?: string }) => error),
      (result) => result instanceof Error && result.code === "over_request_rate_limit",
    );
    if (signedIn instanceof Error) throw signedIn;
    return signedIn.tokens;
  }

  /** The one-time hash of a link, as an email of this kind would have it. No email is sent. */
  async link(type: LinkType, email: string, more: object = {}): Promise<string> {
    const answer = await this.#wire.admin("POST", "generate_link", { type, email, ...more });
    const link = answer.body["action_link"];
    const hash = typeof link === "string" && new URL(link).searchParams.get("token");
    if (!hash) throw new Error(`POST /auth/v1/admin/generate_link (${type}): ${outcomeOf(answer)}`);
    return hash;
  }

  /** Removes every account of this run. Returns a sentence about each that is still there. */
  async removeAll(): Promise<string[]> {
    const left: string[] = [];
    for (const email of this.#addresses) {
      const outcome = await this.#remove(email).catch((error: Error) => error.message);
      if (outcome) left.push(`The account of ${email} could not be removed: ${outcome}.`);
    }
    return left;
  }

  async #remove(email: string): Promise<string | null> {
    // This link reveals the id of an account, and creates no new one.
    const found = await this.#wire.admin("POST", "generate_link", { type: "recovery", email });
    if (found.code === "user_not_found") return null;
    if (found.status !== 200) return outcomeOf(found);
    const removed = await this.#wire.admin("DELETE", `users/${String(found.body["id"])}`);
    return removed.status === 200 ? null : outcomeOf(removed);
  }
}
