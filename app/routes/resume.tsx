import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ResendForm } from "~/components/forms/resend-form";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { openStash } from "~/http/form-stash.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { REFILL } from "~/http/submitted-form";

export const handle = { title: "What you typed is still here" };

/** The same message for a form that was used, has expired, or is another user's. */
const NOT_FOUND =
  "We couldn’t find a form to bring back. We save what you typed for one hour, and it can be brought back once.";

/** Opens a form that was stashed while its sender was signed out. Opening it changes nothing. */
export const loader = routeLoader({ access: "signed in" }, async ({ request, session, url }) => {
  const form = await openStash(request, session.user.id, url.searchParams.get("form"));
  if (!form) return redirectWithFlash(paths.home(), { tone: "info", text: NOT_FOUND });
  return json({ form, intent: REFILL });
});

export default function Resume() {
  const { form, intent } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title={handle.title}
        subtitle="Nothing has been saved yet. Go back to the form, check it and submit."
      />
      <ResendForm
        action={form.action}
        fields={form.fields}
        labels={form.labels}
        intent={intent}
        label="Back to the form"
        open
      />
    </>
  );
}
