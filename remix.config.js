const isDevelopment = process.env.NODE_ENV === "development";

/**
 * The options of Remix. `vite.config.ts` passes them to the Remix plugin.
 * @type {import("@remix-run/dev").VitePluginConfig}
 */
export default {
  appDirectory: "app",
  buildDirectory: "build",
  // The design page is for those who work on the product.
  ignoredRouteFiles: ["**/.*", ...(isDevelopment ? [] : ["**/design"])],
  serverModuleFormat: "esm",
  future: {
    v3_fetcherPersist: true,
    v3_relativeSplatPath: true,
    v3_throwAbortReason: true,
    v3_singleFetch: true,
    v3_lazyRouteDiscovery: false,
  },
};
