import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { env } from "~/env.server";
import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { DataTable } from "~/components/ui/data-table";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { unavailable } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { addressAttribution } from "~/integrations/addresses/addresses.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { ConsentRecord } from "~/modules/privacy/consent-record";
import { DeletionNotice } from "~/modules/privacy/deletion-notice";
import { HELD_DATA, formatAudience } from "~/modules/privacy/held-data";
import { cancelDeletion, listConsents, setDiscreet } from "~/modules/privacy/my-data.server";
import { PRIVACY_REFUSALS } from "~/modules/privacy/refusals";

export const handle = { title: "Privacy", open: true };

export const loader = routeLoader({ access: "open" }, async ({ db, session, sessionState }) => {
  if (sessionState === "unknown") throw unavailable();
  return json({
    addressSearch: addressAttribution(),
    botCheck: env().captcha !== null,
    mine: session
      ? {
          consents: await listConsents(db),
          deletion: session.user.deletion,
          discreet: session.user.discreet,
        }
      : null,
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
      const isKept = await cancelDeletion(db);
      triggerEmailDelivery();
      return redirectWithFlash(
        paths.privacy(),
        isKept
          ? "We’re glad you’re staying! Your account won’t be deleted."
          : { tone: "problem", text: PRIVACY_REFUSALS.deletion_begun },
      );
    },
  },
);

export default function Privacy() {
  const { addressSearch, botCheck, mine } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title="Privacy"
        subtitle={`What we know about you, why, and who can see it. We never sell your data, and these pages load nothing from third parties${botCheck ? ", except a check for bots while many people sign up" : ""}.`}
      />
      <DeletionNotice deletion={mine?.deletion ?? null} />
      <DataTable
        caption="What we store"
        rows={HELD_DATA}
        rowKey={({ id }) => id}
        columns={[
          { key: "what", header: "What", rowHeader: true, cell: ({ what }) => what },
          { key: "seen", header: "Who sees it", cell: ({ audience }) => formatAudience(audience) },
          { key: "why", header: "Why", kind: "sentences", cell: ({ why }) => why },
        ]}
      />
      <p className="measure">
        We keep a log of who changed what. No one can change an entry, so we leave out what’s typed
        into fields for contact details and street addresses, and most text and links that were
        never public. The names of listings, the titles of jobs, and text submitted for a public
        listing or a paid job stay in the log. If you delete your account, your entries keep only an
        ID that says nothing about you.
      </p>
      <p className="measure">
        The service that signs people in has a log of its own. It says when someone signed in, with
        their email address and IP address.
      </p>
      {addressSearch === null ? null : (
        <p className="measure">
          What you type into an address field is looked up with <bdi>{addressSearch}</bdi>. We don’t
          say who’s asking.
        </p>
      )}
      <h2>Sharing with advertising and email services</h2>
      <p>
        We share nothing with advertising or email services unless you say yes.{" "}
        <TextLink to={paths.trackingConsent()}>View your choice</TextLink>
      </p>
      {mine ? (
        <>
          <h2>Discreet mode</h2>
          <p className="measure">
            {mine.discreet
              ? "It’s on. Our page titles, tab icon and emails don’t reveal what this directory is. Card statements show a neutral text for jobs and newsletters, and the usual one for Featured plans."
              : "For when other people can see your screen, inbox or card statement. Our page titles, tab icon and emails won’t reveal what this directory is. Card statements will show a neutral text for jobs and newsletters, and the usual one for Featured plans."}
          </p>
          <PostForm intent={mine.discreet ? "open" : "discreet"}>
            <SubmitButton variant="quiet">
              {mine.discreet ? "Turn discreet mode off" : "Turn discreet mode on"}
            </SubmitButton>
          </PostForm>
          <h2>Your consent history</h2>
          <ConsentRecord consents={mine.consents} />
          <h2>Download or delete your data</h2>
          <p>
            <a href={paths.myData()}>Download all your data</a> as a JSON file that other programs
            can read.
          </p>
          {mine.deletion ? null : (
            <p>
              <TextLink to={paths.deleteAccount()}>Delete my account</TextLink>
            </p>
          )}
        </>
      ) : (
        <p>
          <TextLink to={paths.login(paths.privacy())}>Sign in</TextLink> to see your consent
          history, or to download or delete your data.
        </p>
      )}
    </>
  );
}
