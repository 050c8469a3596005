import { createContext } from "react";

/**
 * The nonce for the scripts of the page that is being rendered on the server. It is passed by
 * context and not as loader data, which is part of the page and can be read by any script.
 */
export const NonceContext = createContext<string | undefined>(undefined);
