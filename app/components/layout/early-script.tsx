import { useEffect } from "react";
import { UNSAFE_useScrollRestoration as useScrollRestoration } from "react-router-dom";

const POSITIONS = "positions";

/** Remix's own, which every page would carry with its indentation: a key of this place in the history, before the router reads it. */
const NAME = `history.state?.key||history.replaceState({key:Math.random()},"");let t,{key:k}=history.state;`;

/**
 * To the browser, pages that script showed one after the other are one document. Once that was loaded again, Back only
 * changes the address, and no script may have arrived that would show the page. So the browser loads it. (A place
 * within the page has no key.)
 */
const LOAD = `onpopstate=()=>(history.state?.key||k)==k||location.reload();`;

/**
 * Before a page is left, the browser asks about a form that was typed into and not sent. "Leave quickly" has no token
 * (nor has a search), and is followed by no question. Later, watch-forms.ts puts its own handlers in place of these.
 */
const ASK = `oninput=e=>t||=e.target.form?.dataset.unsaved;onsubmit=e=>t=e.target.csrf&&!e.target.dataset.unsaved?t:null;onbeforeunload=()=>t;`;

/** Before script runs, the page scrolls to where it was left. */
const RESTORE = `addEventListener("DOMContentLoaded",()=>{let y=JSON.parse(sessionStorage.${POSITIONS}||0)[k];y+1&&scrollTo(0,y)})`;

/** What the document does by itself. React leaves it as it is. */
const SCRIPT = import.meta.env.SSR ? `{${NAME}${LOAD}${ASK}${RESTORE}}` : "";

/**
 * What can't wait for the script of the page. Back and Forward: the scroll position is restored, and a page whose script has
 * not arrived loads the other one. And a form isn't lost without a question. This is part of the head, before style
 * sheets: someone may press Back, or type, also while the rest of a page arrives.
 */
export function EarlyScript({ nonce }: { nonce: string | undefined }) {
  useScrollRestoration({ storageKey: POSITIONS });
  // The router shows the pages from here on.
  useEffect(() => {
    onpopstate = null;
  }, []);
  return (
    <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: SCRIPT }} />
  );
}
