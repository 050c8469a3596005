/**
 * What was typed into a form and is stored nowhere: as a draft where the form names a URL for it
 * (`data-unsaved`), and otherwise with a warning before the page is left. Nothing is stored in the
 * browser, where the next person who uses it could find it. This code is loaded when someone types.
 */

import { waitsForConnection } from "~/components/layout/waits-for-connection";

import { setBackGuard } from "./back-guard";

const EXIT = 'form[action="/leave"]';
const LOGOUT = 'form[action="/logout"]';
const PAUSE_MS = 3_000;
/** The longest that signing out waits for drafts. */
const WAIT_MS = 2_000;

/** Forms with something typed that is not stored. */
const changed = new Set<HTMLFormElement>();
/** Forms that are being sent. */
const sending = new Set<HTMLFormElement>();
/** Forms whose draft could not be saved last time. */
const failed = new Set<HTMLFormElement>();
const timers = new Map<HTMLFormElement, ReturnType<typeof setTimeout>>();
const requests = new Map<HTMLFormElement, AbortController>();
/** The page that was typed into, in the browser's history. */
let entry: { state: unknown; url: string } | undefined;

const draftUrlOf = ({ dataset: { unsaved } }: HTMLFormElement) =>
  unsaved === "warn" ? undefined : unsaved;

/** Notes that a form has something typed that is not stored. */
export function noteChange(form: HTMLFormElement): void {
  // Someone left quickly while this code was on its way.
  if (document.documentElement.hidden) return;
  changed.add(form);
  sending.delete(form);
  entry = { state: history.state as unknown, url: location.href };
  if (draftUrlOf(form) === undefined) return;
  clearTimeout(timers.get(form));
  timers.set(
    form,
    setTimeout(() => void saveDraft(form), PAUSE_MS),
  );
}

/** Notes that a form is being sent. What comes back with errors is typed again. */
export function noteSent(form: HTMLFormElement): void {
  stop(form);
  sending.add(form);
  watchAnswer(form);
}

/** Stops whatever would store what was typed. */
function stop(form: HTMLFormElement): void {
  clearTimeout(timers.get(form));
  requests.get(form)?.abort();
  changed.delete(form);
}

function say(form: HTMLFormElement, text: string): void {
  const status = form.querySelector("[data-draft-status]");
  if (status && status.textContent !== text) status.textContent = text;
}

const OFFLINE =
  "We couldn’t save a draft. Check your connection, and submit before you leave this page.";
const QUESTION = "Leave this page? What you typed hasn’t been submitted, and will be lost.";
const SIGNED_OUT =
  "You’re signed out, so this isn’t saved as a draft. You can still submit it: we’ll ask you to sign in, and bring it back.";

/** Why a draft was not saved, in a sentence; null when it was. */
async function send(form: HTMLFormElement, url: string, keepalive: boolean, signal: AbortSignal) {
  const body = new FormData(form);
  const options: RequestInit = { method: "POST", body, signal, redirect: "manual" };
  const response = await fetch(url, { ...options, keepalive });
  // Any other success is the page of a network or a firewall, in place of ours.
  if (response.status === 204) return null;
  if (response.type === "opaqueredirect") return SIGNED_OUT;
  // So is a refusal, unless it is a sentence of ours (`say`).
  const { headers } = response;
  if (!headers.has("X-Request-Id") || !headers.get("Content-Type")?.startsWith("text/plain"))
    return OFFLINE;
  // The form was opened in another account: what was typed is not sent again automatically.
  if (response.status === 403) form.dataset["unsaved"] = "warn";
  return response.text();
}

/** Stores a form as a draft. @param keepalive also when the page is closed meanwhile */
async function saveDraft(form: HTMLFormElement, keepalive = false): Promise<void> {
  const url = draftUrlOf(form);
  if (url === undefined || !changed.has(form)) return;
  stop(form);
  const request = new AbortController();
  requests.set(form, request);
  const problem = await send(form, url, keepalive, request.signal).catch(() => OFFLINE);
  // Sent, or typed into again, meanwhile.
  if (request.signal.aborted) return;
  requests.delete(form);
  if (problem === null) {
    failed.delete(form);
  } else {
    failed.add(form);
    changed.add(form);
  }
  const time = new Date().toLocaleTimeString("en-US", { timeStyle: "short" });
  say(form, problem ?? `Saved as a draft at ${time}. Only you can see it.`);
}

const saveAll = () => [...changed].forEach((form) => void saveDraft(form, true));

/** Whether a form has something that is stored nowhere, and that its draft can't store. */
function isUnsaved(form: HTMLFormElement): boolean {
  if (form.dataset["unsaved"] === undefined) return false;
  const waits = waitsForConnection();
  if (sending.has(form)) return waits;
  // No draft can be saved without a connection either, which no one may have tried yet.
  return draftUrlOf(form) === undefined
    ? changed.has(form) || "typed" in form.dataset
    : changed.has(form) && (waits || !navigator.onLine || failed.has(form));
}

/** Someone leaves quickly. Whatever would be lost, nothing may stop them. */
let exiting = false;

/** Whether leaving now would lose something that its user may want to keep. */
const wouldLose = () => !exiting && [...document.forms].some(isUnsaved);

// A draft is sent with the request for the next page, which may be the same one again (F5), and continue it.
addEventListener("beforeunload", (event) => {
  if (wouldLose()) event.preventDefault();
  else saveAll();
});

/**
 * A link or another form would replace the page by script, and the browser would not ask. Without script it loads
 * a document, and the browser asks. (React listens at the document, so it never sees the event.)
 */
function loadDocument(event: Event): void {
  if (wouldLose()) event.stopPropagation();
  else saveAll();
}

/** Stores the drafts, and then signs out: they need the session that this ends. */
async function saveBefore(event: Event, form: HTMLFormElement): Promise<void> {
  event.preventDefault();
  event.stopPropagation();
  const drafts = Promise.all([...changed].map((one) => saveDraft(one)));
  await Promise.race([drafts, new Promise((resolve) => setTimeout(resolve, WAIT_MS))]);
  // The sign-in page would come in place of the harmless one.
  if (!exiting) form.requestSubmit();
}

addEventListener(
  "click",
  (event) => {
    if ((event.target as Element).closest("a[href]")) loadDocument(event);
  },
  true,
);

addEventListener(
  "submit",
  (event) => {
    const form = event.target as HTMLFormElement;
    if (form.matches(EXIT)) {
      // At once, without a question, and without a request that could outlive the session.
      exiting = true;
      [...changed].forEach(stop);
      requests.forEach((request) => request.abort());
    } else if (form.matches(LOGOUT) && changed.size > 0 && !wouldLose()) {
      void saveBefore(event, form);
    } else {
      if (form.dataset["unsaved"] !== undefined) noteSent(form);
      if (!form.dataset["busy"]) loadDocument(event);
    }
  },
  true,
);

/** A form that comes back with errors has something typed again. */
function watchAnswer(form: HTMLFormElement): void {
  const observer = new MutationObserver(() => {
    if ("busy" in form.dataset) return;
    observer.disconnect();
    sending.delete(form);
    if (form.isConnected && "typed" in form.dataset) noteChange(form);
  });
  observer.observe(form, { attributeFilter: ["data-busy"] });
}

// The page is closed, or another app comes to the front, after which it may be closed without notice.
addEventListener("visibilitychange", () => {
  if (document.hidden) saveAll();
});

// Back, to a page that script would show in place of this one.
setBackGuard((event) => {
  if (!wouldLose()) {
    saveAll();
  } else if (confirm(QUESTION)) {
    changed.clear();
  } else {
    event.stopImmediatePropagation();
    history.pushState(entry?.state, "", entry?.url);
  }
});
