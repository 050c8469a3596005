import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { DataTable } from "~/components/ui/data-table";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { unavailable } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { ConsentRecord } from "~/modules/privacy/consent-record";

import { HELD_DATA, formatAudience } from "~/modules/privacy/held-data";
import { cancelDeletion, getPrivacyOverview, setDiscreet } from "~/modules/privacy/my-data.server";
import { formatLongDate } from "~/text/dates";

export const handle = { title: "Privacy", wide: true };

export const loader = routeLoader({ access: "open" }, async ({ db, session, sessionState }) => {
  if (sessionState === "unknown") throw unavailable();
  return json({
    mine: session ? { ...(await getPrivacyOverview(db)), discreet: session.user.discreet } : null,
  });
});

const switchDiscreet =
  (on: boolean) =>
  async ({ db, session }: ActionContext<"signed in">) => {
    await setDiscreet(db, session.user.id, on);
    return redirectWithFlash(
      paths.privacy(),
      on ? "Discreet mode is on." : "Discreet mode is off.",
    );
  };

export const action = routeAction(
  { access: "signed in" },
  {
    discreet: switchDiscreet(true),
    open: switchDiscreet(false),
    keep: async ({ db }) => {
      await cancelDeletion(db);
      return redirectWithFlash(paths.privacy(), "Your account stays. We’re glad.");
    },
  },
);

export default function Privacy() {
  const { mine } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title="Privacy"
        subtitle="What we hold about you, why, and who sees it. Nothing is sold, and no page here loads anything from anybody else."
      />
      {mine?.deletionDue ? (
        <Callout
          tone="waiting"
          title={`Your account will be deleted on ${formatLongDate(mine.deletionDue)} (UTC)`}
        >
          <p>You asked for it. Until then you can change your mind.</p>
          <PostForm intent="keep">
            <SubmitButton>Keep my account</SubmitButton>
          </PostForm>
        </Callout>
      ) : null}
      <DataTable
        caption="What is held"
        rows={HELD_DATA}
        rowKey={({ id }) => id}
        columns={[
          { key: "what", header: "What", rowHeader: true, cell: ({ what }) => what },
          { key: "seen", header: "Who sees it", cell: ({ audience }) => formatAudience(audience) },
          { key: "why", header: "Why", wide: true, cell: ({ why }) => why },
        ]}
      />
      <p>
        A log keeps what was changed by whom, with names and addresses left out. It cannot be
        altered, and it outlives an account as a number that says nothing about anybody.
      </p>
      <h2>Who may know what you do here</h2>
      <p>
        No advertising or e-mail service is told anything unless you have said yes.{" "}
        <TextLink to={paths.trackingConsent()}>Look at your choice</TextLink>
      </p>
      {mine ? (
        <>
          <h2>Discreet mode</h2>
          <p>
            {mine.discreet
              ? "It’s on. These pages and their icon don’t name the directory. Neither do the emails you get, or the part of your card statement that we choose."
              : "For screens, mailboxes, and card statements that others may see. These pages and their icon won’t name the directory. Neither will the emails you get, or the part of your card statement that we choose."}
          </p>
          <PostForm intent={mine.discreet ? "open" : "discreet"}>
            <SubmitButton variant="quiet">
              {mine.discreet ? "Turn discreet mode off" : "Turn discreet mode on"}
            </SubmitButton>
          </PostForm>
          <h2>What you said yes and no to</h2>
          <ConsentRecord consents={mine.consents} />
          <h2>Take it with you, or leave</h2>
          <p>
            <a href={paths.myData()} download>
              Download everything we hold about you
            </a>{" "}
            as a file that other programs can read (JSON).
          </p>
          {mine.deletionDue ? null : (
            <p>
              <TextLink to={paths.deleteAccount()}>Delete my account</TextLink>
            </p>
          )}
        </>
      ) : (
        <p>
          <TextLink to={paths.login(paths.privacy())}>Sign in</TextLink> to see what you agreed to,
          to download what we hold about you, or to delete your account.
        </p>
      )}
    </>
  );
}
