import { useSyncExternalStore } from "react";

const never = () => () => undefined;

/** False on the server and in a page without script; true once script runs the page. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
