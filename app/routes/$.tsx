import { notFound } from "~/http/errors.server";
import { routeAction, routeLoader } from "~/http/route.server";

/** Every address that is no page: a 404 in the frame of whoever asks. */
export const loader = routeLoader({ access: "open" }, async (): Promise<Response> => {
  throw notFound();
});

export const action = routeAction({ access: "open" }, async (): Promise<Response> => {
  throw notFound();
});

export default function NoSuchPage() {
  return null;
}
