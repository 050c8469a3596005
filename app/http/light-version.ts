import { createContext, useContext } from "react";

/**
 * Whether the page that is being rendered on the server belongs to the light version. False in a
 * browser that runs script.
 */
export const LightVersionContext = createContext(false);

export const useLightVersion = () => useContext(LightVersionContext);
