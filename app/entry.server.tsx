import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";

import type { EntryContext, HandleErrorFunction } from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import type { ReactElement } from "react";
import { renderToPipeableStream } from "react-dom/server";

import { renderFailureDocument } from "~/components/layout/failure-document.server";
import { linkToFiles } from "~/components/layout/file-links.server";
import { ConfigurationError, env } from "~/env.server";
import { checkKeysAtStart } from "~/http/check-keys-at-start.server";
import { describeError } from "~/http/describe-error";
import { drainAtEnd } from "~/http/drain.server";
import { renderFailuresWith } from "~/http/failure-document.server";
import { guardServers } from "~/http/guard-server.server";
import { prepareAllRequests } from "~/http/prepare-request.server";
import { CAPTCHA_HEADER, REQUEST_ID_HEADER } from "~/http/internal-headers.server";
import { LightVersionContext } from "~/http/light-version";
import { showNoscript, wantsLightVersion } from "~/http/light-version.server";
import { surviveOutputErrors } from "~/http/log-output.server";
import { log, redactSecrets } from "~/http/log.server";
import { canSendEmail } from "~/integrations/email/email.server";
import { startEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { NonceContext } from "~/http/nonce";
import { plainStackTraces } from "~/http/plain-stack-traces.server";
import { startMetricsServer } from "~/http/metrics-server.server";
import { findScope } from "~/http/open-requests.server";
import type { RouteArgs } from "~/http/route-args.server";
import { toRoutePattern } from "~/http/route-pattern.server";
import { buildPagePolicy, setSecurityHeaders } from "~/http/security-headers.server";
import { silenceAccessLog } from "~/http/silence-access-log.server";
import { loadAddresses } from "~/integrations/addresses/addresses.server";
import { requestLimit } from "~/integrations/upstream/request-scope.server";
import { countUnrecordedEvents } from "~/modules/billing/event-failures.server";
import { countUndeliveredEvents } from "~/modules/billing/undelivered-events.server";

/** What isn't rendered by then never will be. Tests on a busy machine let requests take longer, and this with them. */
const renderDeadline = () => Math.max(10_000, requestLimit.ms);

/** How long Remix waits for deferred data. We defer none, and waiting would delay a shutdown. */
export const streamTimeout = 1_000;

exitUnlessConfigured();
renderFailuresWith(renderFailureDocument);
prepareAllRequests();
// In development Vite is the server; tests run other servers in the same process.
if (env().production) {
  surviveOutputErrors();
  silenceAccessLog();
  plainStackTraces();
  guardServers();
  drainAtEnd();
  startMetricsServer({
    counters: { webhook_events_unrecorded: countUnrecordedEvents },
    queues: { webhook_events: countUndeliveredEvents },
  });
  loadAddresses();
  void checkKeysAtStart();
  if (canSendEmail()) startEmailDelivery();
}

function exitUnlessConfigured() {
  try {
    env();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/**
 * Renders a page and sends it as a whole. No data is deferred, so a stream would send no byte
 * sooner; and remix-serve flushes its compressor after every chunk of a stream, which makes a page
 * a third larger.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
) {
  const light = await wantsLightVersion(request);
  const nonce = randomBytes(16).toString("base64");
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.append("Vary", "Save-Data");
  headers.set("X-Request-Id", request.headers.get(REQUEST_ID_HEADER) ?? "");
  setSecurityHeaders(
    headers,
    buildPagePolicy({
      pathname: new URL(request.url).pathname,
      status,
      nonce: light ? null : nonce,
      showsCaptcha: Object.values(context.staticHandlerContext.loaderHeaders).some((loaded) =>
        loaded.has(CAPTCHA_HEADER),
      ),
    }),
  );
  copyHeaders(headers, context);
  const page = await renderPage(
    <LightVersionContext.Provider value={light}>
      <NonceContext.Provider value={nonce}>
        <RemixServer
          context={env().production ? withoutOptions(context) : context}
          url={request.url}
          abortDelay={renderDeadline()}
          nonce={nonce}
        />
      </NonceContext.Provider>
    </LightVersionContext.Provider>,
    nonce,
  );
  if (light) return new Response(showNoscript(page.toString()), { headers, status });
  headers.set("Link", linkToFiles(page));
  return new Response(page, { headers, status });
}

/**
 * Remix copies only the cookies of loaders and actions to the page; we need these headers as well.
 */
function copyHeaders(
  headers: Headers,
  { staticHandlerContext: { actionHeaders, loaderHeaders } }: EntryContext,
) {
  for (const source of [...Object.values(actionHeaders), ...Object.values(loaderHeaders)]) {
    for (const name of ["Retry-After", "Allow"]) {
      const value = source.get(name);
      if (value !== null) headers.set(name, value);
    }
  }
}

/**
 * Leaves Remix's options out of the page, since the browser's files have them built in (vite.config.ts), and what it
 * assumes anyway.
 */
function withoutOptions(context: EntryContext): EntryContext {
  const { serverHandoffString = "" } = context;
  const shorter = serverHandoffString
    .replace(/"future":\{[^{}]*\}/, '"future":{}')
    .replace(/"basename":"\/",|,"isSpaMode":false/g, "");
  return { ...context, serverHandoffString: shorter };
}

/**
 * Removes NUL bytes. React 18 writes into buffers of 2 KB. When the next character has more bytes
 * than a buffer has left, it sends the rest of the buffer as NUL (react/react#31134). A page has no
 * other NUL.
 */
function removeNuls(page: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const parts: Buffer<ArrayBuffer>[] = [];
  let from = 0;
  // Not byte by byte in JavaScript, which takes longer than rendering a large table.
  for (let at = page.indexOf(0); at >= 0; at = page.indexOf(0, from)) {
    parts.push(page.subarray(from, at));
    from = at + 1;
  }
  return from === 0 ? page : Buffer.concat([...parts, page.subarray(from)]);
}

const END = "</body></html>";

/**
 * Moves the end of the document behind the scripts with the loaders' data. Remix renders them after it, where HTML has
 * no place for them; browsers add them to the body.
 */
function moveEndToEnd(page: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const at = page.indexOf(END);
  if (at < 0) return page;
  const scripts = page
    .subarray(at + END.length)
    .toString()
    .replaceAll(/<!--\/?\$-->/g, "");
  return Buffer.concat([page.subarray(0, at), Buffer.from(scripts + END)]);
}

function renderPage(element: ReactElement, nonce: string): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const collector = new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk);
        done();
      },
      final(done) {
        // It would keep the page and all that rendered it in memory.
        clearTimeout(deadline);
        resolve(moveEndToEnd(removeNuls(Buffer.concat(chunks))));
        done();
      },
    });
    const { pipe, abort } = renderToPipeableStream(element, {
      nonce,
      onAllReady: () => void pipe(collector),
      onShellError: reject,
      onError: reject,
    });
    const deadline = setTimeout(abort, renderDeadline() + 1_000).unref();
  });
}

/** Data requests get the same security headers as pages. */
export function handleDataRequest(response: Response) {
  setSecurityHeaders(response.headers);
  return response;
}

/** Logs an error that no loader or action has handled. */
export const handleError: HandleErrorFunction = (error, args) => {
  const { request, params } = args;
  if (request.signal.aborted) return;
  const status = (error as { status?: unknown } | null)?.status;
  if (typeof status === "number" && status < 500) return;
  logFailure(error, args, toRoutePattern(request.url, params));
};

function logFailure(error: unknown, args: RouteArgs, route: string) {
  const cause = error instanceof Error ? error : new Error(String(error));
  const { status, title, message } = describeError(error);
  log().error(
    {
      requestId: args.request.headers.get(REQUEST_ID_HEADER),
      route,
      status,
      call: findScope(args).failedCall,
      shown: `${title}. ${message}`,
      kind: cause.name,
      reason: redactSecrets(cause.message),
      stack: redactSecrets(cause.stack ?? ""),
    },
    "unexpected failure",
  );
}
