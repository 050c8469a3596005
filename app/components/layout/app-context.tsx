import { createContext, useContext } from "react";
import type { ReactNode } from "react";

import type { LinkCounts } from "./navigation";

/** What every page needs to know about the product and the session. The root provides it. */
export interface AppValues {
  /** The directory's name, from the environment; null where it must not be shown. */
  appName: string | null;
  /** The CSRF token that every form sends. */
  csrf: string;
  /** The URL of "Get In Touch" (mailto: or https:), or null when none is configured. */
  contactUrl: string | null;
  /** The URL of the local mailbox; null unless the product runs as a local demo. */
  mailboxUrl: string | null;
  /** The counts beside the links of the sidebar; empty while they are not known. */
  counts: LinkCounts;
}

const AppContext = createContext<AppValues | null>(null);

/** Provides the values to its children. */
export function AppProvider({ value, children }: { value: AppValues; children: ReactNode }) {
  return <AppContext.Provider value={value}>{children}</AppContext.Provider>;
}

/**
 * The values of the provider. Throws without one: a form without its CSRF token must not be
 * rendered.
 */
export function useApp(): AppValues {
  const value = useContext(AppContext);
  if (value === null) throw new Error("useApp() needs an <AppProvider>.");
  return value;
}

/**
 * Like useApp(), but null without a provider, for frames that also render when the root has failed.
 */
export function useOptionalApp(): AppValues | null {
  return useContext(AppContext);
}
