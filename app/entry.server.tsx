import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";

import type { EntryContext, HandleErrorFunction } from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import type { ReactElement } from "react";
import { renderToPipeableStream } from "react-dom/server";

import { ConfigurationError, env } from "~/env.server";
import { prepareAllRequests } from "~/http/prepare-request.server";
import { REQUEST_ID_HEADER } from "~/http/internal-headers.server";
import { log, redactSecrets } from "~/http/log.server";
import { NonceContext } from "~/http/nonce";
import { buildPagePolicy, setSecurityHeaders } from "~/http/security-headers.server";

const RENDER_DEADLINE_MS = 10_000;

/** Nothing is deferred: Remix need not wait for late data, which would hold up a process that is to stop. */
export const streamTimeout = 1_000;

refuseToStartUnconfigured();
prepareAllRequests();

function refuseToStartUnconfigured() {
  try {
    env();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/**
 * Renders a page, and sends it whole. Nothing in it is deferred, so a stream would bring no byte sooner;
 * and remix-serve empties its compressor after every chunk of a stream, which makes a page a third larger.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
) {
  const nonce = randomBytes(16).toString("base64");
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("X-Request-Id", request.headers.get(REQUEST_ID_HEADER) ?? "");
  setSecurityHeaders(
    headers,
    buildPagePolicy(nonce, { pathname: new URL(request.url).pathname, status }),
  );
  keepAdvice(headers, context);
  const page = await renderPage(
    <NonceContext.Provider value={nonce}>
      <RemixServer
        context={context}
        url={request.url}
        abortDelay={RENDER_DEADLINE_MS}
        nonce={nonce}
      />
    </NonceContext.Provider>,
    nonce,
  );
  return new Response(page, { headers, status });
}

/** Remix keeps only the cookies of what loaders and actions answer; when to try again belongs to the page as well. */
function keepAdvice(
  headers: Headers,
  { staticHandlerContext: { actionHeaders, loaderHeaders } }: EntryContext,
) {
  for (const told of [...Object.values(actionHeaders), ...Object.values(loaderHeaders)]) {
    for (const name of ["Retry-After", "Allow"]) {
      const value = told.get(name);
      if (value !== null) headers.set(name, value);
    }
  }
}

/**
 * React 18 writes into pieces of 2 KB; where the next letter takes more bytes than a piece has left, it sends the rest of
 * the piece as NUL (react/react#31134). No page holds one otherwise, and no letter but NUL has that byte.
 */
function withoutGaps(page: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  return page.includes(0) ? Buffer.from(page.filter((byte) => byte !== 0)) : page;
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
        resolve(withoutGaps(Buffer.concat(chunks)));
        done();
      },
    });
    const { pipe, abort } = renderToPipeableStream(element, {
      nonce,
      onAllReady: () => void pipe(collector),
      onShellError: reject,
      onError: reject,
    });
    setTimeout(abort, RENDER_DEADLINE_MS + 1_000).unref();
  });
}

/** Data requests of enhanced pages carry the same headers as everything else. */
export function handleDataRequest(response: Response) {
  setSecurityHeaders(response.headers);
  return response;
}

/** What no loader or action explained: a fault of ours, logged without secrets. */
export const handleError: HandleErrorFunction = (error, { request }) => {
  if (request.signal.aborted) return;
  const status = (error as { status?: unknown } | null)?.status;
  if (typeof status === "number" && status < 500) return;
  logFailure(error, request);
};

function logFailure(error: unknown, request: Request) {
  const cause = error instanceof Error ? error : new Error(String(error));
  log().error(
    {
      requestId: request.headers.get(REQUEST_ID_HEADER),
      path: new URL(request.url).pathname,
      kind: cause.name,
      reason: redactSecrets(cause.message),
      stack: redactSecrets(cause.stack ?? ""),
    },
    "unexpected failure",
  );
}
