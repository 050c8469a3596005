import { UNSAFE_useScrollRestoration as useScrollRestoration } from "react-router-dom";

const POSITIONS = "positions";

/** Remix's own, which every page would carry with its indentation: before script runs, to where the page was left. */
const RESTORE = `try{history.state?.key||history.replaceState({key:Math.random().toString(32).slice(2)},"");let y=JSON.parse(sessionStorage.${POSITIONS}||"{}")[history.state.key];y+1&&scrollTo(0,y)}catch{}`;

/** Restores the scroll position after Back, as Remix's component of this name does. */
export function ScrollRestoration({ nonce }: { nonce: string | undefined }) {
  useScrollRestoration({ storageKey: POSITIONS });
  return (
    <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: RESTORE }} />
  );
}
