import { json, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { expireCookie, handoffCookie } from "~/http/cookies.server";
import { endOtherSession } from "~/http/end-session.server";
import { endPendingHandoff, readPendingHandoff } from "~/http/handoff.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { serializeSession } from "~/http/session.server";
import { LinkAccount } from "~/modules/accounts/emailed-link-button";
import { isolate } from "~/text/isolate";

export const handle = { title: "Choose an account", bare: true };

/**
 * Asks before a link signs this browser in, or switches it to another account. It names the account,
 * since someone else may have sent the link.
 */
export const loader = routeLoader({ access: "open" }, async ({ request, session }) => {
  const pending = await readPendingHandoff(request);
  if (!pending) return redirect(paths.home());
  return json({ current: session?.user.email ?? null, other: pending.email });
});

/**
 * Whether the page named another account than that of the link that was opened last. Any site can
 * open a link in another tab of this browser, and the cookie has the last one.
 */
const namedAnother = (form: FormData, pending: { email: string } | null) =>
  pending !== null && form.has("account") && form.get("account") !== pending.email;

export const action = routeAction(
  { access: "open" },
  {
    switch: async ({ request, form, setCookie, log }) => {
      const pending = await readPendingHandoff(request);
      if (namedAnother(form, pending)) return redirect(paths.switchAccount(), { status: 303 });
      setCookie(await expireCookie(handoffCookie()));
      if (pending) {
        await endOtherSession(request, pending.tokens, log);
        setCookie(await serializeSession(pending.tokens));
      }
      return redirect(pending?.to ?? paths.home(), { status: 303 });
    },
    stay: async ({ request, form, setCookie }) => {
      const pending = await readPendingHandoff(request);
      if (namedAnother(form, pending)) return redirect(paths.switchAccount(), { status: 303 });
      setCookie(await expireCookie(handoffCookie()));
      if (pending) await endPendingHandoff(pending);
      return redirect(pending?.to ?? paths.home(), { status: 303 });
    },
  },
);

export default function SwitchAccount() {
  const { current, other } = useLoaderData<typeof loader>();
  return (
    <>
      <h1>{current ? "Switch account?" : "Sign in to this account?"}</h1>
      <LinkAccount email={other} current={current} onlyIf="that account is yours" />
      <PostForm intent="switch">
        <input type="hidden" name="account" value={other} />
        <SubmitButton>Continue as {isolate(other)}</SubmitButton>
      </PostForm>
      <PostForm intent="stay">
        <input type="hidden" name="account" value={other} />
        <SubmitButton variant="quiet">
          {current ? `Stay signed in as ${isolate(current)}` : "Don’t sign in"}
        </SubmitButton>
      </PostForm>
    </>
  );
}
