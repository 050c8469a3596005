import { json } from "@remix-run/node";
import {
  Outlet,
  Scripts,
  useLocation,
  useMatches,
  useNavigation,
  useRouteError,
  useRouteLoaderData,
} from "@remix-run/react";
import { useContext, useEffect, type ReactNode } from "react";
import { UNSAFE_DataRouterStateContext as RouterState } from "react-router-dom";

import { ResendForm } from "~/components/forms/resend-form";
import { AppProvider } from "~/components/layout/app-context";
import { AppFrame } from "~/components/layout/app-frame";
import { NEUTRAL_NAME } from "~/components/layout/brand";
import icon from "~/components/layout/favicon.svg?url";
import plainIcon from "~/components/layout/favicon-plain.svg?url";
import touchIcon from "~/components/layout/touch-icon.png?url";
import { EarlyScript } from "~/components/layout/early-script";
import { ErrorPage } from "~/components/layout/error-page";
import { loadAsDocument } from "~/components/layout/load-as-document";
import { isAdminPage, type Place } from "~/components/layout/navigation";
import { SignedOutFrame } from "~/components/layout/signed-out-frame";
import { env } from "~/env.server";
import { getFormToken } from "~/http/csrf.server";
import { expireCookie, flashCookie } from "~/http/cookies.server";
import { describeError } from "~/http/describe-error";
import { lacksFormId } from "~/http/form-id.server";
import { readFlash } from "~/http/flash.server";
import { useLightVersion } from "~/http/light-version";
import { NonceContext } from "~/http/nonce";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import type { Session } from "~/http/session.server";
import { readLinkCounts } from "~/modules/home/link-counts.server";
import { TrackingConsentForm } from "~/modules/privacy/tracking-consent-form";
import { shouldAskForConsent, trackVisitor } from "~/modules/privacy/tracking-consent.server";
import { TRACKING_TEXT } from "~/modules/privacy/tracking-text";
import styles from "~/styles/app.css?url";

/** What every page needs: the user, the CSRF token, and the flash message. */
export const loader = routeLoader(
  { access: "open", keepsToken: true },
  async ({ request, session, sessionState, setCookie, log, url, db }) => {
    const counts = session && !session.limited ? readLinkCounts(db) : Promise.resolve({});
    const { appName, contactUrl, localMailboxUrl } = env();
    const { token, setCookie: formCookie } = await getFormToken(request);
    if (formCookie) setCookie(formCookie);
    if (!lacksFormId(url)) await trackVisitor({ request, session }, { name: "PageView" }, log);
    // While Supabase does not answer, the frame stays, so that navigation works.
    const framed = sessionState === "active" || sessionState === "unknown";
    // While Supabase does not answer, no one knows whether the user has answered it.
    const asks =
      sessionState !== "unknown" &&
      // The answer would load the page again, which shows the codes once.
      url.pathname !== paths.recoveryCodes() &&
      // Someone who may choose a password and nothing else can't answer for the account.
      !session?.limited &&
      (await shouldAskForConsent({ request, session }));
    const { stored, flash } = await readFlash(request);
    if (stored) setCookie(await expireCookie(flashCookie()));
    return json({
      app: {
        appName: showsName(session, url) ? appName : null,
        csrf: token,
        // Its address may name the directory, and a page without the frame doesn't show it.
        contactUrl: framed ? contactUrl : null,
        mailboxUrl: localMailboxUrl,
        counts: await counts,
      },
      user: session && {
        // Someone who has seen only the mailbox may not know the name (docs/decisions/0047).
        fullName: session.limited ? "" : session.user.fullName,
        // The links of an admin who has to turn two-step sign-in on first lead there.
        admin: session.user.admin || session.user.adminNeedsSecondStep,
      },
      framed,
      // What most pages don't have is not part of them, not even as a name.
      ...(asks && { trackingQuestion: TRACKING_TEXT }),
      ...(flash && { flash }),
    });
  },
);

/**
 * Whether a page may show what this directory is: to users who have not chosen discreet mode, and on
 * the sign-up page, which must say with whom someone makes an account. Anyone else may be a user in
 * discreet mode who is signed out, or whom we can't recognize during an outage.
 */
function showsName(session: Session | null, url: URL): boolean {
  return session ? !session.user.discreet : url.pathname === paths.signup();
}

/** A route's `handle`. */
export interface RouteHandle {
  title: string;
  /**
   * A title that tells this tab from others of the same route, from the loader's data. It may name
   * what the page is about, so it is not used where the pages must not say what this directory is.
   */
  tabTitle?: (data: never) => string;
  /**
   * The path of the page above it, from the loader's data, for a page of a listing or job: admins edit those of others,
   * and get the frame and the current link of the page that they came from.
   */
  parent?: (data: never) => string;
  /** Uses the frame without the sidebar, also for signed-in users. */
  bare?: boolean;
  /** A wider card in the frame without the sidebar. */
  wide?: boolean;
  /** No card in the frame without the sidebar: the page has its own layout. */
  open?: boolean;
}

function usePage() {
  return useMatches()
    .map(({ handle, data }) => ({ handle: handle as RouteHandle | undefined, data }))
    .findLast(({ handle }) => handle?.title);
}

/** Where the page that is open is in the navigation: where the page above it is, if it names one, or else at its own URL. */
function usePlace(): Place {
  const { pathname, search } = useLocation();
  const page = usePage();
  const parent = page?.data ? page.handle?.parent?.(page.data as never) : undefined;
  if (parent === undefined) return { pathname, search };
  const [path = "", query = ""] = parent.split("?");
  return { pathname: path, search: query };
}

/** The title of the page that is open. @param isNamed whether it may say what the page is about */
function getTitle({ handle, data }: NonNullable<ReturnType<typeof usePage>>, isNamed: boolean) {
  return isNamed && data ? (handle?.tabTitle?.(data as never) ?? handle?.title) : handle?.title;
}

/** The title begins with "Error" when a form has errors: screen readers read it first. */
function PageTitle({ name }: { name: string }) {
  const state = useContext(RouterState);
  const page = usePage();
  const hasErrors = Object.values(state?.actionData ?? {}).some(
    (data) =>
      Object.keys((data as { lastResult?: { error?: object } } | null)?.lastResult?.error ?? {})
        .length > 0,
  );
  const failure: unknown = Object.values(state?.errors ?? {})[0];
  const title = failure
    ? describeError(failure).title
    : ((page && getTitle(page, name !== NEUTRAL_NAME)) ?? name);
  return (
    <title>{`${hasErrors ? "Error: " : ""}${title}${title === name ? "" : ` · ${name}`}`}</title>
  );
}

const FALLBACK_APP = {
  appName: null,
  contactUrl: null,
  mailboxUrl: null,
  counts: {},
};

export function Layout({ children }: { children: ReactNode }) {
  const data = useRouteLoaderData<typeof loader>("root");
  const nonce = useContext(NonceContext);
  const light = useLightVersion();
  // React runs it before the first click that it handles.
  useEffect(() => loadAsDocument(), []);
  const failed = useContext(RouterState)?.errors;
  // After a form that failed, the root is not loaded: the failure itself has the token for its forms.
  const failure: unknown = Object.values(failed ?? {})[0];
  const app = data?.app ?? { ...FALLBACK_APP, csrf: describeError(failure).csrf ?? "" };
  // The tab says what this is only to a user who is known: it is read by people who look over a
  // shoulder, and in the list of open and recent pages.
  const name = data?.user && !failed ? app.appName : null;
  return (
    <html
      lang="en"
      className={`${name === null ? "" : "branded"} ${light ? "light" : ""}`.trim() || undefined}
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <PageTitle name={name ?? NEUTRAL_NAME} />
        {light ? null : <EarlyScript nonce={nonce} />}
        <link rel="icon" href={name === null ? plainIcon : icon} />
        {name === null ? null : <link rel="apple-touch-icon" href={touchIcon} />}
        <link rel="stylesheet" href={styles} />
      </head>
      <body>
        <AppProvider value={app}>{children}</AppProvider>
        {/* Only the server writes it. React leaves what follows its own elements at the end of a body as it is. */}
        {light || !import.meta.env.SSR ? null : <Scripts nonce={nonce} />}
      </body>
    </html>
  );
}

function Frame({
  children,
  bare,
  wide,
  open,
}: { children: ReactNode } & Omit<RouteHandle, "title" | "tabTitle" | "parent">) {
  const place = usePlace();
  const data = useRouteLoaderData<typeof loader>("root");
  if (!data?.framed || bare) {
    return (
      <SignedOutFrame flash={data?.flash ?? null} wide={wide} open={open}>
        {children}
      </SignedOutFrame>
    );
  }
  return (
    <AppFrame
      user={data.user ?? { fullName: "", admin: false }}
      place={place}
      flash={data.flash ?? null}
    >
      {children}
    </AppFrame>
  );
}

export default function App() {
  const handle = usePage()?.handle;
  const data = useRouteLoaderData<typeof loader>("root");
  const { pathname, search } = useLocation();
  const place = usePlace();
  const isPageComing = useNavigation().state !== "idle";
  return (
    <Frame bare={handle?.bare} wide={handle?.wide} open={handle?.open}>
      {/* A page about something else begins with its own fields, also where the same route shows it. */}
      <Outlet key={pathname + new URLSearchParams(search).get("draft")} />
      {isPageComing ? <div className="page-coming" /> : null}
      {data?.trackingQuestion && !isAdminPage(place) && pathname !== paths.trackingConsent() ? (
        <TrackingConsentForm text={data.trackingQuestion} returnTo={`${pathname}${search}`} />
      ) : null}
    </Frame>
  );
}

export function ErrorBoundary() {
  const failure = describeError(useRouteError());
  const location = useLocation();
  return (
    <Frame>
      <ErrorPage
        {...failure}
        retryHref={
          failure.status >= 500 && !failure.submittedForm
            ? `${location.pathname}${location.search}`
            : undefined
        }
      />
      {failure.submittedForm ? <ResendForm {...failure.submittedForm} /> : null}
    </Frame>
  );
}
