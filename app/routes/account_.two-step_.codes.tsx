import { json, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { expireCookie, recoveryCodesCookie } from "~/http/cookies.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { toSafePath } from "~/http/safe-path.server";
import { readRecoveryCodes } from "~/modules/two-step/recovery-codes.server";

export const handle = { title: "Your recovery codes" };

/** Shows new recovery codes once: they were in a cookie that this page removes. */
export const loader = routeLoader(
  { access: "signed in" },
  async ({ request, url, session, setCookie }) => {
    const codes = await readRecoveryCodes(request, session.user.id);
    if (codes === null) return redirect(paths.twoStep());
    setCookie(await expireCookie(recoveryCodesCookie()));
    const to = url.searchParams.get("redirectTo");
    return json({
      codes,
      next: to === null ? paths.account() : toSafePath(to),
    });
  },
);

export default function RecoveryCodes() {
  const { codes, next } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title={handle.title} kicker="Two-step sign-in" />
      <Callout tone="waiting" title="Save these now. We can’t show them again.">
        If you lose your phone, one of these codes signs you in and turns two-step sign-in off, so
        you can set it up again. Keep them where you keep your passwords, not only on your phone. To
        copy all of them at once, select any of them. Or print this page.
      </Callout>
      <ul className="prose select-all">
        {codes.map((code) => (
          <li key={code}>
            <code translate="no">{code}</code>
          </li>
        ))}
      </ul>
      <ButtonLink to={next}>I’ve saved them</ButtonLink>
    </>
  );
}
