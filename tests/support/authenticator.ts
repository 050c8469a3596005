import { makeTotpCode } from "../../local/hosted-factors";

import type { Answer } from "./answer";
import type { Member, World } from "./world";

/** An authenticator app with one account in it. */
interface Authenticator {
  /** The code that it shows now, or a later one when this one was returned before. */
  code: () => Promise<string>;
  /** The code that it showed the last time. */
  last: () => string;
  /** The recovery codes that were shown with it. */
  recoveryCodes: string[];
}

/** The recovery codes on a page. */
export const findRecoveryCodes = (page: Answer): string[] =>
  page.text.match(/\b[0-9a-f]{5}-[0-9a-f]{5}-[0-9a-f]{5}\b/g) ?? [];

/** An authenticator app for a secret, as it is shown on the page. */
export function createAuthenticator(world: World, shownSecret: string): Authenticator {
  const secret = shownSecret.replaceAll(" ", "");
  const shown = new Set<string>();
  let last = "";
  return {
    // The service accepts the next code as well, since clocks differ. When both were used, the app
    // forgets them, as it does after two minutes.
    async code() {
      for (const ahead of [0, 30_000]) {
        last = makeTotpCode(secret, Date.now() + ahead);
        if (shown.has(last)) continue;
        shown.add(last);
        return last;
      }
      shown.clear();
      await world.sql("delete from public.rate_limits");
      return this.code();
    },
    last: () => last,
    recoveryCodes: [],
  };
}

/** Turns two-step sign-in on for a signed-in user, on the pages. */
export async function turnOnTwoStep(world: World, member: Member): Promise<Authenticator> {
  const begun = await member.post("/account/two-step", {
    intent: "start",
    current_password: member.password,
  });
  if (begun.location !== "/account/two-step/new")
    throw new Error(`Two-step sign-in could not be set up: ${begun.status} ${begun.body}`);
  const page = await member.page("/account/two-step/new");
  const secret = /Key: ((?:[A-Z2-7]{4} ?){8})/.exec(page.text)![1]!;
  const authenticator = createAuthenticator(world, secret);
  const done = await member.post("/account/two-step/new", {
    app_code: await authenticator.code(),
  });
  if (done.location !== "/account/two-step/codes")
    throw new Error(`Two-step sign-in was not turned on: ${done.status} ${done.body}`);
  authenticator.recoveryCodes = findRecoveryCodes(await member.page("/account/two-step/codes"));
  return authenticator;
}
