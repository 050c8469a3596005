/**
 * Keeps the page and what was typed when the connection drops: the router would show an error in
 * place of the form. What the page requested is requested again, until there is an answer or the
 * page is left. A form can be sent again, because the server takes it once.
 */

const TEXT = "We can’t reach the server. Leave this page open, and nothing is lost.";
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;
const LEAVING_MS = 30_000;

/** Shown once the first try has failed, to screen readers as well. */
const notice = document.createElement("div");
notice.className = "offline";
notice.setAttribute("role", "status");
/** How many requests wait. */
let waiting = 0;

function count(change: 1 | -1): void {
  waiting += change;
  document.documentElement.toggleAttribute("data-waits", waiting > 0);
  // React manages the whole document, so it must have started before.
  if (!notice.isConnected) document.body.append(notice);
  // A screen reader announces what changes in a status, not its first text.
  requestAnimationFrame(() => {
    notice.textContent = waiting > 0 ? TEXT : "";
  });
}

/** Until the browser says that it is online again, or some seconds have passed. */
const pause = (ms: number, signal?: AbortSignal | null) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
    addEventListener("online", () => resolve(), { once: true });
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });

/** Whether as-document.client.ts asks whether there is a connection. */
const isForHealth = ({ pathname }: URL) => pathname === "/healthz";

/** Whether the router asks for a page or sends its form, or as-document.client.ts asks. */
const isForPage = (input: RequestInfo | URL): input is URL =>
  input instanceof URL &&
  input.origin === location.origin &&
  (input.pathname.endsWith(".data") || isForHealth(input));

/** When the browser asked last for another document. */
let leftAt = 0;
addEventListener("beforeunload", () => (leftAt = Date.now()));

/**
 * Firefox ends what a page waits for as soon as another document is asked for, which must not be replaced by what this
 * page waited for. Waits until it is gone; it stays when the document was a download, or someone chose to stay.
 */
export async function waitWhileLeaving(): Promise<void> {
  while (document.documentElement.hidden || Date.now() - leftAt < LEAVING_MS)
    await pause(FIRST_PAUSE_MS);
}

const request = fetch;

/**
 * In the answer of a proxy that first wants to see a person, as Cloudflare and AWS WAF do with visitors of a VPN. Script
 * can't show its page, and each further request gets the same answer.
 */
const CHALLENGES = ["cf-mitigated", "x-amzn-waf-action"];
let onChallenge: () => Promise<void>;

/**
 * What a proxy answers while the app restarts is no answer, and nor is the page of a network or a firewall, whatever its
 * status: Remix marks each of the app’s that the router gets. Nor is one of which the rest does not arrive.
 */
async function send(input: RequestInfo | URL, init: RequestInit | undefined): Promise<Response> {
  const response = await request(input, init);
  if (!isForPage(input)) return response;
  const { headers } = response;
  if (!headers.has("X-Remix-Response") && (response.status > 501 || !isForHealth(input))) {
    if (!init?.signal?.aborted && CHALLENGES.some((name) => headers.has(name))) await onChallenge();
    throw new TypeError();
  }
  return response.body ? new Response(await response.arrayBuffer(), response) : response;
}

async function sendAgain(input: RequestInfo | URL, init: RequestInit | undefined) {
  for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
    await pause(ms, init?.signal);
    try {
      return await send(input, init);
    } catch (error) {
      if (init?.signal?.aborted) throw error;
    }
  }
}

/**
 * Makes `fetch` wait for the connection where it asks for a page.
 * @param leave leaves for that page as a document, which can show what a proxy asks for
 */
export function waitForConnection(leave: typeof onChallenge): void {
  onChallenge = leave;
  window.fetch = async (input, init) => {
    // Nor is anything asked for once someone leaves quickly, such as by a page that waits for a payment: the answer is the
    // sign-in page, which would come in place of the harmless one.
    if (document.documentElement.hidden) await new Promise(() => {});
    try {
      return await send(input, init);
    } catch (error) {
      if (!isForPage(input) || init?.signal?.aborted) throw error;
      await waitWhileLeaving();
      count(1);
      return await sendAgain(input, init).finally(() => count(-1));
    }
  };
}
