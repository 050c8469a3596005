import { json, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { expireCookie, signUpCookie } from "~/http/cookies.server";
import { endOtherSession, endUnusedSession } from "~/http/end-session.server";
import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type RouteContext } from "~/http/route.server";
import { beginRecovery, serializeSession } from "~/http/session.server";
import { AuthServiceError, redeemEmailLink } from "~/integrations/supabase/auth.server";
import {
  findKnownLink,
  findLinkAccount,
  forgetLink,
  readOpenedLink,
} from "~/modules/accounts/emailed-link.server";
import { EmailedLinkButton } from "~/modules/accounts/emailed-link-button";
import { liftSessionLimit } from "~/modules/accounts/lift-session-limit.server";
import { recognizeSignUp } from "~/modules/accounts/sign-up.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { readOpenedInvitation } from "~/modules/managers/invitation.server";

const PER_VISITOR = { name: "confirm", max: 30, windowSeconds: 60 * 60 };

export const handle = { title: "Confirm your email address", bare: true };

const CHANGED = "The email address has been changed.";
const TAKEN =
  "We haven’t changed the email address, because someone has signed up with the new one. If that was you, sign in with it.";
const USED = {
  // It may have been used on a phone that lost the response: the account is then without a password.
  email:
    "That link has expired or was already used. If you can’t sign in, select “Forgot your password?” to get a new link. If no email comes, sign up again.",
  // Someone who signs up again would have a second account, which has nothing of theirs.
  email_change:
    "That link has expired or was already used. We’ve also emailed your other address: open that link, too. If you can’t sign in with the new address, use the old one, and change it again under My Account.",
} as const;

const parseLinkType = (value: FormDataEntryValue | null) =>
  value === "email_change" ? "email_change" : "email";

/** The target of the links in emails that confirm an address. Opening one changes nothing. */
export const loader = routeLoader({ access: "open" }, async (context) => {
  const { session, url } = context;
  const tokenHash = await readOpenedLink(context, paths.confirm());
  if (tokenHash === null) return redirect(paths.login());
  const account = await findLinkAccount(tokenHash, session);
  const type = parseLinkType(url.searchParams.get("type"));
  if (!account) return endedLink(context, USED[type]);
  return json({ tokenHash, ...account, type });
});

export const action = routeAction(
  { access: "open" },
  {
    openLink: async (context) => {
      const { request, form, session, setCookie, log } = context;
      const type = parseLinkType(form.get("type"));
      const tokenHash = readField(form, "token_hash");
      const link = await findKnownLink(request, tokenHash, PER_VISITOR);
      if (!link) return endedLink(context, USED[type]);
      try {
        const recognized = type !== "email" || (await recognizeSignUp(request, tokenHash));
        const tokens = await redeemEmailLink(type, tokenHash);
        setCookie(await forgetLink());
        if (!tokens) {
          return redirectWithFlash(session ? paths.account() : paths.login(), {
            tone: "info",
            text: "Thanks! Now open the link we sent to your other address.",
          });
        }
        if (type === "email_change") {
          triggerEmailDelivery();
          // Of the account, and not ended since, such as by its user's new password.
          if (session?.user.id === link.user && (await liftSessionLimit(tokens))) {
            setCookie(await serializeSession(tokens));
            return await redirectWithFlash(paths.account(), CHANGED);
          }
          // The new mailbox may be a stranger's, by a typing mistake: its link opens no account.
          endUnusedSession(request, tokens, log);
          return await redirectWithFlash(session ? paths.home() : paths.login(), CHANGED);
        }
        await endOtherSession(request, tokens, log);
        setCookie(await expireCookie(signUpCookie()));
        if (!recognized) {
          setCookie(await serializeSession(tokens, beginRecovery(tokens, { newAccount: true })));
          return redirect(paths.newPassword(), { status: 303 });
        }
        // Of a button that was pressed twice, the second session begins after the confirmation, and is limited.
        await liftSessionLimit(tokens);
        setCookie(await serializeSession(tokens));
        // A user who signed up to accept an invitation continues there.
        const start =
          (await readOpenedInvitation(request)) === null ? paths.home() : paths.invitation();
        return await redirectWithFlash(start, "Welcome! Your email address is confirmed.");
      } catch (error) {
        if (!(error instanceof AuthServiceError)) throw error;
        // The auth service has no code for it: it answers as when it fails.
        if (type === "email_change" && link.taken) return endedLink(context, TAKEN);
        if (error.failure !== "refused") throw error;
        return endedLink(context, USED[type]);
      }
    },
  },
);

async function endedLink({ session, setCookie }: RouteContext<"open">, text: string) {
  setCookie(await forgetLink());
  // As on the other pages of a link: nothing went wrong, and the sentence says how to go on.
  return redirectWithFlash(session ? paths.account() : paths.login(), { tone: "info", text });
}

export default function Confirm() {
  const { tokenHash, email, current, type } = useLoaderData<typeof loader>();
  const link = { tokenHash, email, current, type };
  // The links of both emails lead here. Anyone can ask for a change to anyone's address, and would
  // keep their own password and session. And someone who got into an account can ask for a change
  // from its address.
  if (type === "email_change")
    return (
      <EmailedLinkButton
        {...link}
        title="Change an account’s email address?"
        label="Confirm the change"
      >
        Someone asked to change an account’s email address from yours, or to yours. If that wasn’t
        you, don’t continue: they could take over your account, or use your address as theirs.
      </EmailedLinkButton>
    );
  return (
    <EmailedLinkButton {...link} title="Confirm your email address" label="Confirm my email">
      One last step: confirm that this is your email address.
    </EmailedLinkButton>
  );
}
