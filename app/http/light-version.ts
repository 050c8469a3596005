import { createContext, useContext } from "react";

/** Whether the page that is being rendered on the server is of the light version. In a browser that runs script: no. */
export const LightVersionContext = createContext(false);

export const useLightVersion = () => useContext(LightVersionContext);
