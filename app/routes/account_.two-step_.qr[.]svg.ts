import { notFound } from "~/http/errors.server";
import { routeLoader } from "~/http/route.server";
import { readNewAuthenticator } from "~/modules/two-step/new-authenticator.server";
import { drawQrCode } from "~/modules/two-step/qr-code.server";

/** The QR code of the authenticator app that the user is adding. */
export const loader = routeLoader(
  { access: "signed in", page: false },
  async ({ request, session }) => {
    const authenticator = await readNewAuthenticator(request, session.user.id);
    if (!authenticator) throw notFound();
    return new Response(drawQrCode(authenticator.uri), {
      headers: { "Content-Type": "image/svg+xml; charset=utf-8" },
    });
  },
);
