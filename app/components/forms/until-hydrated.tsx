import type { ReactNode } from "react";

import { useHydrated } from "./use-hydrated";

/**
 * What a form needs while script does not work, or does not work yet. A component of its own: a form that
 * rendered again at that moment would discard lazy parts of it that are still loading, with what was typed.
 */
export function UntilHydrated({ children }: { children: ReactNode }) {
  return useHydrated() ? null : <>{children}</>;
}
