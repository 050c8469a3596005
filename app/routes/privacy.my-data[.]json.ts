import { routeLoader } from "~/http/route.server";
import { exportMyData } from "~/modules/privacy/my-data.server";

/** All data about the user, as a file. */
export const loader = routeLoader(
  { access: "signed in", page: false },
  async ({ db }) =>
    new Response(JSON.stringify(await exportMyData(db), null, 2), {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Disposition": 'attachment; filename="my-data.json"',
      },
    }),
);
