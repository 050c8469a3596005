import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { DataTable } from "~/components/ui/data-table";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { explainRefusal } from "~/http/refusals.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { DataError } from "~/integrations/supabase/data.server";
import { TWO_STEP_REFUSALS } from "~/modules/two-step/refusals";
import { getAdminTwoStep, requireTwoStepOfAdmins } from "~/modules/two-step/two-step.server";

export const handle = { title: "Two-step sign-in for admins" };

export const loader = routeLoader({ access: "admin" }, async ({ db, session }) =>
  json({ ...(await getAdminTwoStep(db)), mine: session.user.secondStep }),
);

const setMandatory =
  (mandatory: boolean) =>
  async ({ db }: ActionContext<"admin">) => {
    try {
      await requireTwoStepOfAdmins(db, mandatory);
    } catch (error) {
      if (!(error instanceof DataError) || error.failure !== "refused") throw error;
      return redirectWithFlash(paths.adminTwoStep(), {
        tone: "problem",
        text: explainRefusal(error, TWO_STEP_REFUSALS),
      });
    }
    return redirectWithFlash(
      paths.adminTwoStep(),
      mandatory ? "Every admin needs two-step sign-in now." : "Two-step sign-in is optional now.",
    );
  };

export const action = routeAction(
  { access: "admin" },
  { require: setMandatory(true), allow: setMandatory(false) },
);

export default function AdminTwoStep() {
  const { mandatory, mine, admins } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title={
          <>
            Two-step <span className="whitespace-nowrap">sign-in</span> for admins
          </>
        }
        subtitle={
          mandatory
            ? "Every admin needs two-step sign-in. Until they turn it on, they can’t open the admin pages."
            : "Each admin can choose whether to use it."
        }
      />
      {mine ? (
        <PostForm intent={mandatory ? "allow" : "require"}>
          <SubmitButton variant={mandatory ? "quiet" : "primary"}>
            {mandatory ? "Make it optional" : "Require it for every admin"}
          </SubmitButton>
        </PostForm>
      ) : (
        <Callout title="To require it for every admin, turn it on for your own account first.">
          <p className="mt-2">
            <ButtonLink variant="quiet" to={paths.twoStep(paths.adminTwoStep())}>
              Turn on two-step sign-in
            </ButtonLink>
          </p>
        </Callout>
      )}
      <DataTable
        caption="Admins"
        rows={admins}
        rowKey={({ id }) => id}
        columns={[
          {
            key: "name",
            header: "Name",
            rowHeader: true,
            cell: ({ name }) => name ?? "No name given",
          },
          { key: "on", header: "Two-step sign-in", cell: ({ on }) => (on ? "On" : "Off") },
        ]}
      />
    </>
  );
}
