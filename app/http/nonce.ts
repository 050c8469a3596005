import { createContext } from "react";

/**
 * The nonce of the page being rendered on the server, for its scripts. It travels by context and not by
 * loader data, where it would stand in the page for anybody's script to read.
 */
export const NonceContext = createContext<string | undefined>(undefined);
