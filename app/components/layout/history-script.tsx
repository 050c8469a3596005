import { useEffect } from "react";
import { UNSAFE_useScrollRestoration as useScrollRestoration } from "react-router-dom";

const POSITIONS = "positions";

/**
 * To the browser, pages that script showed one after the other are one document. Once that was loaded again, Back only
 * changes the address, and no script may have arrived that would show the page. So the browser loads it.
 */
const LOAD = `{let l=location,u=l.pathname+l.search;onpopstate=()=>u==l.pathname+l.search||l.reload()}`;

/** Remix's own, which every page would carry with its indentation: a key for the position, before the router reads it. */
const NAME = `history.state?.key||history.replaceState({key:Math.random()},"");`;
/** And before script runs, to where the page was left. */
const RESTORE = `let y=JSON.parse(sessionStorage.${POSITIONS}||0)[history.state.key];y+1&&scrollTo(0,y)`;

/** What the document does by itself. React leaves it as it is. */
const SCRIPT = import.meta.env.SSR
  ? `${LOAD}${NAME}addEventListener("DOMContentLoaded",()=>{${RESTORE}})`
  : "";

/**
 * Back and Forward: the scroll position is restored, and a page whose script has not arrived loads the other one. This is
 * part of the head, before style sheets: Back is pressed also while the rest of a page arrives.
 */
export function HistoryScript({ nonce }: { nonce: string | undefined }) {
  useScrollRestoration({ storageKey: POSITIONS });
  // The router shows the pages from here on.
  useEffect(() => {
    onpopstate = null;
  }, []);
  return (
    <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: SCRIPT }} />
  );
}
