/**
 * The app's own route modules, found by the route convention that the build uses, and the app's
 * real request handler over them. Nothing here knows any route by name.
 *
 * Import it only once the environment is set: loading a route loads the app.
 */
import { flatRoutes } from "@remix-run/dev/dist/config/flat-routes.js";
import { createRequestHandler, type ServerBuild } from "@remix-run/node";
import { matchRoutes, type AgnosticRouteObject } from "@remix-run/router";
import { fileURLToPath } from "node:url";

import remixConfig from "../../remix.config.js";

type Handler = (args: {
  request: Request;
  params: Record<string, string | undefined>;
  context: object;
}) => unknown;

/** What a route module may export, as far as tests look at it. */
export interface RouteModule {
  loader?: Handler;
  action?: Handler;
  default?: unknown;
  ErrorBoundary?: unknown;
  handle?: unknown;
}

export interface AppRoute {
  id: string;
  parentId: string | undefined;
  /** From the app's folder: `routes/listings.$id.tsx`. */
  file: string;
  index: boolean;
  /** The whole path, with its parameters: `/listings/:id`. */
  path: string;
}

const appFolder = fileURLToPath(new URL("../../app", import.meta.url));
const manifest = flatRoutes(appFolder, remixConfig.ignoredRouteFiles);
const modules = {
  ...import.meta.glob<RouteModule>("../../app/routes/**/*.{ts,tsx}"),
  ...import.meta.glob<RouteModule>("../../app/root.tsx"),
};

/** Every route of the app, the root left out. */
export const appRoutes: AppRoute[] = Object.values(manifest)
  .filter((route) => route.id !== "root")
  .map(({ id, parentId, file, index }) => ({
    id,
    parentId,
    file,
    index: index ?? false,
    path: wholePath(id),
  }));

function wholePath(id: string): string {
  const parts: string[] = [];
  for (let at = manifest[id]; at; at = at.parentId ? manifest[at.parentId] : undefined) {
    if (at.path) parts.unshift(at.path);
  }
  return `/${parts.join("/")}`;
}

/** Loads a route's module: the one that the app itself runs. */
export async function loadRoute(id: string): Promise<RouteModule> {
  const file = id === "root" ? "root.tsx" : manifest[id]!.file;
  const load = modules[`../../app/${file}`];
  if (!load) throw new Error(`There is no module for route ${id} (app/${file}).`);
  return load();
}

interface Match {
  id: string;
  params: Record<string, string | undefined>;
}

const tree = branch(undefined);

function branch(parentId: string | undefined): AgnosticRouteObject[] {
  return Object.values(manifest)
    .filter((route) => (route.id === "root" ? undefined : (route.parentId ?? "root")) === parentId)
    .map((route) => {
      const { id, path, caseSensitive } = route;
      return route.index
        ? { id, path, caseSensitive, index: true as const }
        : { id, path, caseSensitive, children: branch(id) };
    });
}

/** The routes that a path goes through, outermost first; empty when there is no such page. */
export function matchPath(pathname: string): Match[] {
  const routes = manifest["root"] ? tree : [{ id: "root", path: "", children: branch("root") }];
  const matches = matchRoutes(routes, pathname) ?? [];
  return matches.map((match) => ({ id: match.route.id!, params: match.params }));
}

/** Answers a request as the server would: routing, loaders in parallel, rendering, headers and all. */
export async function answerAsServer(request: Request): Promise<Response> {
  const pathname = new URL(request.url).pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/");
  const matches = matchPath(pathname);
  const ids = matches.length > 0 ? matches.map((match) => match.id) : ["root"];
  const handler = createRequestHandler(await buildOf(ids), "test");
  return handler(request, {});
}

/** A server build with just the modules that one request goes through, which load in no time. */
async function buildOf(ids: string[]): Promise<ServerBuild> {
  const routes: ServerBuild["routes"] = {};
  const assets: ServerBuild["assets"]["routes"] = {};
  for (const id of ids) {
    const module = await loadRoute(id);
    const { parentId, path, index, caseSensitive } = manifest[id] ?? { path: "" };
    const place = {
      id,
      path,
      index,
      caseSensitive,
      ...(id === "root" ? {} : { parentId: parentId ?? "root" }),
    };
    routes[id] = { ...place, module: module as ServerBuild["routes"][string]["module"] };
    assets[id] = {
      ...place,
      module: `/assets/${id}.js`,
      hasAction: "action" in module,
      hasLoader: "loader" in module,
      hasClientAction: false,
      hasClientLoader: false,
      hasErrorBoundary: "ErrorBoundary" in module,
    };
  }
  return {
    mode: "test",
    entry: { module: await import("../../app/entry.server") },
    routes,
    assets: {
      entry: { imports: [], module: "/assets/entry.client.js" },
      routes: assets,
      url: "/assets/manifest.js",
      version: "test",
    },
    publicPath: "/",
    assetsBuildDirectory: "build/client",
    future: remixConfig.future as ServerBuild["future"],
    isSpaMode: false,
  };
}
