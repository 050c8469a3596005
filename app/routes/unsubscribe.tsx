import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextLink } from "~/components/ui/text-link";
import { notFound } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeLoader, signedAction } from "~/http/route.server";
import { OPTIONAL_EMAILS } from "~/modules/emails/optional-emails";
import { unsubscribe } from "~/modules/emails/preferences.server";
import { parseUnsubscribeLink } from "~/modules/emails/unsubscribe-link.server";

export const handle = { title: "Stop these e-mails", bare: true };

/** Mail programs open links by themselves, so opening this one changes nothing. */
export const loader = routeLoader({ access: "open" }, async ({ url }) => {
  const subscription = parseUnsubscribeLink(url);
  if (!subscription)
    throw notFound(
      "This link is incomplete. In your account you can choose which e-mails you get.",
    );
  return json({ about: OPTIONAL_EMAILS[subscription.kind] });
});

/** By the button below, or by that of a mail program, which knows no session and no form token: the link's signature stands for both. */
export const action = signedAction(
  (body, _headers, url) => {
    const subscription = parseUnsubscribeLink(url);
    return (
      subscription && { ...subscription, url, byMailProgram: body === "List-Unsubscribe=One-Click" }
    );
  },
  async ({ person, kind, url, byMailProgram }): Promise<Response> => {
    await unsubscribe(person, kind);
    if (byMailProgram) return new Response(null, { status: 204 });
    return redirectWithFlash(
      `${url.pathname}${url.search}`,
      "Done: you won’t get these e-mails any more.",
    );
  },
);

export default function Unsubscribe() {
  const { about } = useLoaderData<typeof loader>();
  return (
    <>
      <h1>{handle.title}</h1>
      <p>We write to you when this happens:</p>
      <p>
        <b>{about}.</b>
      </p>
      <PostForm>
        <SubmitButton>Stop these e-mails</SubmitButton>
      </PostForm>
      <p>
        <TextLink to={paths.emailPreferences()}>Choose among all our e-mails</TextLink>
      </p>
    </>
  );
}
