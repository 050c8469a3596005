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
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import {
  acceptInvitation,
  getInvitation,
  isInvitationToken,
  readOpenedInvitation,
} from "~/modules/managers/invitation.server";
import { getInvitationRefusal, type InvitationRefusal } from "~/modules/managers/rules";
import { formatLastDay } from "~/text/deadlines";
import { isolate } from "~/text/isolate";
import { keepTogether } from "~/text/keep-together";

const LIMIT_PER_VISITOR = { name: "invitation", max: 60, windowSeconds: 60 * 60 };

export const handle = { title: "Invitation", bare: true };

type Step = "no link" | "sign in" | "offer" | "refused";

interface PageParts {
  refusal?: InvitationRefusal | null;
  token?: string;
  name?: string;
  until?: string;
  unseen?: boolean;
  ownName?: string;
}

const page = (
  step: Step,
  {
    refusal = null,
    token = "",
    name = "",
    until = "",
    unseen = false,
    ownName = "",
  }: PageParts = {},
) =>
  json({ step, refusal, token, name, until, unseen, ownName }, { status: refusal?.status ?? 200 });

/**
 * The page that the link of an invitation leads to. The token moves from the URL into a cookie at
 * once: it must not appear in a log, the history, or a Referer, and it must survive signing in.
 * Opening the page does not use the invitation. Only the invited user sees what it is for; someone
 * who is signed out does not even learn whether it exists.
 */
export const loader = routeLoader(
  { access: "open", keepsToken: true },
  async ({ request, db, session, sessionState, setCookie }) => {
    const linkToken = readSecretParam(request, "token");
    if (linkToken !== null) {
      setCookie(
        await (isInvitationToken(linkToken)
          ? invitationCookie().serialize(linkToken)
          : expireCookie(invitationCookie())),
      );
      return redirect(paths.invitation(), { status: 303 });
    }
    const token = await readOpenedInvitation(request);
    if (token === null) return page("no link");
    if (sessionState === "unknown") throw unavailable();
    if (!session) return page("sign in");
    const { state, ...offer } = await getInvitation(db, token);
    return state === "open"
      ? page("offer", { token, ...offer, ownName: session.user.fullName })
      : page("refused", { refusal: getInvitationRefusal(state) });
  },
);

export const action = routeAction(
  { access: "signed in" },
  {
    accept: async ({ request, form, db, setCookie }) => {
      const { state, name } = await acceptInvitation(db, readField(form, "token"));
      // Only unknown ones are counted: no one else in the network can use up the attempts.
      if (state === "unknown") await enforceRateLimit(LIMIT_PER_VISITOR, getClientNetwork(request));
      const refusal = getInvitationRefusal(state);
      // Sent again after its response was lost: it is accepted.
      if (state === "managing")
        return redirectWithFlash(paths.listings(), "You now manage this listing.");
      if (refusal) return json({ refusal }, { status: refusal.status });
      triggerEmailDelivery();
      setCookie(await expireCookie(invitationCookie()));
      return redirectWithFlash(
        paths.listings(),
        `Thank you! You now manage “${isolate(name ?? "")}”.`,
      );
    },
  },
);

export default function Invitation() {
  const {
    step,
    refusal: loaded,
    token,
    name,
    until,
    unseen,
    ownName,
  } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  const refusal = (result && "refusal" in result ? result.refusal : null) ?? loaded;
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
        <h1>
          You’ve been invited to manage “<bdi>{name}</bdi>”
        </h1>
        {unseen ? (
          <p>
            This owner has no listing with this name in the directory right now, so the name may be
            someone else’s. Accept only if you know who invited you.
          </p>
        ) : null}
        <ul className="prose">
          <li>
            You’ll be able to edit, hide or show the listing and reply to its messages. Please keep
            those messages private: they include names and email addresses.
          </li>
          <li>You won’t be able to remove or transfer the listing, or buy anything for it.</li>
          <li>
            The owner will see {ownName ? `your name (${isolate(ownName)}), ` : ""}the address they
            invited and the changes you make. Either of you can end this any time.{" "}
            <TextLink to={paths.account()}>{ownName ? "Not your name?" : "Add your name"}</TextLink>
          </li>
        </ul>
        <PostForm intent="accept">
          <input type="hidden" name="token" value={token} />
          <div className="buttons">
            <SubmitButton>Accept</SubmitButton>
            <ButtonLink variant="quiet" to={paths.home()}>
              Not now
            </ButtonLink>
          </div>
        </PostForm>
        <p className="hint">
          You can accept this invitation until {keepTogether(formatLastDay(until))}.
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
            Sign in with the email address the invitation was sent to. You’ll see which listing it
            is before you accept.
          </p>
          <div className="buttons">
            <ButtonLink to={paths.login(paths.invitation())}>Sign in</ButtonLink>
            <ButtonLink variant="quiet" to={paths.signup()}>
              Create an account
            </ButtonLink>
          </div>
        </>
      ) : (
        <>
          <p>To see an invitation, open the link in the email we sent.</p>
          <div className="buttons">
            <TextLink to={paths.home()}>Go to Home</TextLink>
          </div>
        </>
      )}
    </>
  );
}
