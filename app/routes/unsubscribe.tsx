import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextLink } from "~/components/ui/text-link";
import { HttpError } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeLoader, signedAction } from "~/http/route.server";
import { OPTIONAL_EMAILS } from "~/modules/emails/optional-emails";
import { unsubscribe } from "~/modules/emails/preferences.server";
import { parseUnsubscribeLink } from "~/modules/emails/unsubscribe-link.server";

export const handle = { title: "Unsubscribe", bare: true };

/** Opening the link changes nothing, since mail programs open links by themselves. */
export const loader = routeLoader({ access: "open" }, async ({ url }) => {
  const subscription = parseUnsubscribeLink(url);
  if (!subscription)
    throw new HttpError(
      404,
      "This link is incomplete",
      "You can choose which emails you get under My Account.",
    );
  return json({
    about: OPTIONAL_EMAILS[subscription.kind],
    isDone: url.searchParams.get("done") === "yes",
  });
});

/**
 * Sent by the button below or by a mail program's own, which has no session and no form token. The
 * link's signature replaces both.
 */
export const action = signedAction(
  (body, _headers, url) => {
    const subscription = parseUnsubscribeLink(url);
    return (
      subscription && { ...subscription, url, oneClick: body === "List-Unsubscribe=One-Click" }
    );
  },
  async ({ userId, kind, url, oneClick }): Promise<Response> => {
    await unsubscribe(userId, kind);
    if (oneClick) return new Response(null, { status: 204 });
    return redirectWithFlash(
      `${url.pathname}?${new URLSearchParams([...url.searchParams, ["done", "yes"]])}`,
      "Done! You won’t get these emails anymore.",
    );
  },
);

export default function Unsubscribe() {
  const { about, isDone } = useLoaderData<typeof loader>();
  return (
    <>
      <h1>{handle.title}</h1>
      <p>
        {isDone
          ? "You’ve unsubscribed from the email about this:"
          : "Stop getting an email when this happens?"}{" "}
        <b>{about}.</b>{" "}
      </p>
      {isDone ? null : (
        <PostForm>
          <SubmitButton>Unsubscribe</SubmitButton>
        </PostForm>
      )}
      <p>
        {isDone ? "Changed your mind? " : null}
        <TextLink to={paths.emailPreferences()}>Manage all email settings</TextLink>
      </p>
    </>
  );
}
