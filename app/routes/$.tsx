import { notFound } from "~/http/errors.server";
import { routeAction, routeLoader } from "~/http/route.server";

/** Answers all URLs without a route with a 404. */
export const loader = routeLoader({ access: "open" }, async (): Promise<Response> => {
  throw notFound();
});

export const action = routeAction({ access: "open" }, async (): Promise<Response> => {
  throw notFound();
});

export default function NoSuchPage() {
  return null;
}
