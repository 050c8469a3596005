import { createContext, useContext } from "react";
import type { ReactNode } from "react";

/** What every page knows about the product and the running session; given once, by the root of the page. */
export interface AppValues {
  /** The product's name, from the environment. */
  appName: string;
  /** The signed token that every form sends back, so that no other site can post for this person. */
  csrf: string;
  /** Where "Get In Touch" leads (mailto: or https:), or null when the team has set none. */
  contactUrl: string | null;
  /** Where "Leave quickly" leads. */
  quickExitUrl: string;
  /** The page of the local mailbox; present only when the product runs as a demo on somebody's own machine. */
  mailboxUrl: string | null;
}

const AppContext = createContext<AppValues | null>(null);

/** Gives the values to everything inside. */
export function AppProvider({ value, children }: { value: AppValues; children: ReactNode }) {
  return <AppContext.Provider value={value}>{children}</AppContext.Provider>;
}

/** The values of the running product. Throws outside an AppProvider: a form without its token must not be drawn. */
export function useApp(): AppValues {
  const value = useContext(AppContext);
  if (value === null)
    throw new Error("useApp() needs an <AppProvider> above it, in the root of the page.");
  return value;
}

/** Like useApp(), but null outside a provider: for frames that must still draw when the root itself has failed. */
export function useOptionalApp(): AppValues | null {
  return useContext(AppContext);
}
