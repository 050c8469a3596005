import { UNSAFE_RemixContext as RemixContext, useMatches } from "@remix-run/react";
import { useContext, useEffect } from "react";
import { UNSAFE_useScrollRestoration as useScrollRestoration } from "react-router-dom";

const POSITIONS = "positions";

/**
 * Remix's own code, which every page would otherwise have with its indentation: it makes a key for
 * this place in the history, before the router reads it.
 */
const NAME = `history.state?.key||history.replaceState({key:Math.random()},"");let{key:k}=history.state;`;

/**
 * To the browser, pages that script showed one after the other are one document. Once that was loaded again, Back only
 * changes the address, and no script may have arrived that would show the page. So the browser loads it. (A place
 * within the page has no key.)
 */
const LOAD = `onpopstate=()=>(history.state?.key||k)==k||location.reload();`;

/**
 * Whether a form has something that the server has not: typed into it, restored by Back, or returned with errors. As
 * `isChanged` of watch-forms.ts says it once script is there.
 */
const IS_UNSAVED = `f=>f.dataset.unsaved&&(f.dataset.typed||[...f.elements].some(c=>c.name&&(c.options?[...c.options].some(o=>o.selected&&!o.defaultSelected&&o.value):c.value!=(c.defaultValue??c.value)||c.checked!=c.defaultChecked)))`;

/**
 * Before such a form is left and not sent, the browser asks. "Leave quickly" has no token (nor has a search), and is
 * followed by no question. Later, watch-forms.ts puts its own handlers in place of these.
 */
const ASK = `{let s;onsubmit=e=>s=!e.target.csrf||e.target.dataset.unsaved;oninput=()=>s=0;onbeforeunload=()=>!s&&[...document.forms].some(${IS_UNSAVED})||null}`;

/** Before script runs, the page scrolls to where it was left. */
const RESTORE = `addEventListener("DOMContentLoaded",()=>{let y=JSON.parse(sessionStorage.${POSITIONS}||0)[k];y+1&&scrollTo(0,y)})`;

/**
 * "Leave quickly" makes the page blank at once, and notes that in a cookie that outlives the session, in case no
 * answer comes (leave-quickly.server.ts). And to browsers, Escape means "stop loading": it would keep the script
 * from arriving that counts three of them as leaving, or stop what leaves. Once that script is there, it decides about
 * Escape (leave-at-once.ts).
 */
const LEAVE = `;addEventListener("submit",e=>e.target.matches('[action="/leave"]')&&(document.documentElement.hidden=document.cookie="left=1;path=/;max-age=9999999"));onkeydown=e=>e.which!=27||!!window.__remixRouter`;

/** What the document does by itself. React leaves it as it is. Only a page that has an action has forms to lose. */
const useScript = import.meta.env.SSR
  ? function useScript() {
      const routes = useContext(RemixContext)?.manifest.routes;
      const hasAction = useMatches().some(({ id }) => routes?.[id]?.hasAction);
      return `{${NAME}${LOAD}${RESTORE}${LEAVE}}${hasAction ? ASK : ""}`;
    }
  : () => "";

/**
 * What can't wait for the script of the page. Back and Forward: the scroll position is restored, and a page whose script has
 * not arrived loads the other one. And a form isn't lost without a question. This is part of the head, before style
 * sheets: someone may press Back, or type, also while the rest of a page arrives.
 */
export function EarlyScript({ nonce }: { nonce: string | undefined }) {
  const script = useScript();
  useScrollRestoration({ storageKey: POSITIONS });
  // The router shows the pages from here on.
  useEffect(() => {
    onpopstate = null;
  }, []);
  return (
    <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: script }} />
  );
}
