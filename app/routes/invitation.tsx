import { json, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { TextLink } from "~/components/ui/text-link";
import { expireCookie, invitationCookie } from "~/http/cookies.server";
import { unavailable } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { readSecretParam } from "~/http/prepare-request.server";
import { paths } from "~/http/paths";
import { enforceRateLimit, getClientNetwork } from "~/http/rate-limit.server";
import { routeAction, routeLoader } from "~/http/route.server";
import { accept, offerOf, openedInvitation } from "~/modules/managers/invitation.server";
import { refusalOf, type InvitationRefusal } from "~/modules/managers/rules";

const PER_VISITOR = { name: "invitation", max: 60, windowSeconds: 60 * 60 };

export const handle = { title: "Invitation", bare: true };

type Step = "no link" | "sign in" | "offer" | "refused";

interface Page {
  refusal?: InvitationRefusal | null;
  token?: string;
  name?: string;
  until?: string;
}

const page = (step: Step, { refusal = null, token = "", name = "", until = "" }: Page = {}) =>
  json({ step, refusal, token, name, until }, { status: refusal?.status ?? 200 });

/**
 * Where the link of an invitation leads. The token goes from the address into a cookie at once, so that it stands in no
 * log, history or Referer and is still there after signing in. Looking uses nothing up, and only the invited person is
 * told what it is about; whoever is signed out learns not even whether there is such an invitation.
 */
export const loader = routeLoader(
  { access: "open" },
  async ({ request, db, session, sessionState, setCookie }) => {
    const arriving = readSecretParam(request, "token");
    if (arriving !== null) {
      setCookie(await invitationCookie().serialize(arriving.slice(0, 100)));
      return redirect(paths.invitation(), { status: 303 });
    }
    const token = await openedInvitation(request);
    if (token === null) return page("no link");
    if (sessionState === "unknown") throw unavailable();
    if (!session) return page("sign in");
    const { state, name, until } = await offerOf(db, token);
    return state === "open"
      ? page("offer", { token, name, until })
      : page("refused", { refusal: refusalOf(state) });
  },
);

export const action = routeAction(
  { access: "signed in" },
  {
    accept: async ({ request, form, db, setCookie }) => {
      await enforceRateLimit(PER_VISITOR, getClientNetwork(request));
      const { state, name } = await accept(db, readField(form, "token"));
      const refusal = refusalOf(state);
      if (refusal) return json({ refusal }, { status: refusal.status });
      setCookie(await expireCookie(invitationCookie()));
      return redirectWithFlash(paths.listings(), `Thank you. You manage “${name}” now.`);
    },
  },
);

const day = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" });

export default function Invitation() {
  const { step, refusal: found, token, name, until } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const refusal = (answer && "refusal" in answer ? answer.refusal : null) ?? found;
  if (refusal) {
    return (
      <>
        <h1>{refusal.title}</h1>
        <p>{refusal.text}</p>
        <div className="buttons">
          <ButtonLink to={paths.listings()}>Go to your listings</ButtonLink>
          {refusal.status === 403 ? (
            <PostForm action={paths.logout()}>
              <SubmitButton variant="quiet">Sign out</SubmitButton>
            </PostForm>
          ) : null}
        </div>
      </>
    );
  }
  if (step === "offer") {
    return (
      <>
        <h1>Will you help with “{name}”?</h1>
        <p>You are asked to manage this listing for its owner.</p>
        <ul className="prose">
          <li>
            You can change the listing, hide it, and read and answer what people write to it. Those
            messages are private: they hold names and addresses.
          </li>
          <li>You can’t take it out of the directory, give it away, or buy anything for it.</li>
          <li>
            The owner sees your name, the address you were invited by, and what you change. You can
            stop at any time, and so can they.
          </li>
        </ul>
        <PostForm intent="accept">
          <input type="hidden" name="token" value={token} />
          <div className="buttons">
            <SubmitButton>Yes, I’ll help</SubmitButton>
            <ButtonLink variant="quiet" to={paths.home()}>
              Not now
            </ButtonLink>
          </div>
        </PostForm>
        <p className="hint">
          The invitation is open until{" "}
          <time dateTime={until}>{day.format(new Date(until))} (UTC)</time>. If you do nothing, it
          runs out.
        </p>
      </>
    );
  }
  return (
    <>
      <h1>An invitation</h1>
      {step === "sign in" ? (
        <>
          <p>
            Sign in with the e-mail address that the invitation was sent to. Then you see what it is
            about, and can say yes or leave it.
          </p>
          <div className="buttons">
            <ButtonLink to={paths.login(paths.invitation())}>Sign in</ButtonLink>
            <ButtonLink variant="quiet" to={paths.signup()}>
              Create an account
            </ButtonLink>
          </div>
        </>
      ) : (
        <p>
          To see an invitation, open the link in its e-mail.{" "}
          <TextLink to={paths.home()}>Go to your dashboard</TextLink>
        </p>
      )}
    </>
  );
}
