import type { ReactNode } from "react";

import { useHydrated } from "./use-hydrated";

/** What a form needs while script does not work, or does not work yet. */
export function UntilHydrated({ children }: { children: ReactNode }) {
  return useHydrated() ? null : <>{children}</>;
}
