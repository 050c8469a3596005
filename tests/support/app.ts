/**
 * The route modules of the app, found by the route convention of the build, and the real request
 * handler over them. Nothing here depends on the name of a route.
 *
 * Import it after the environment is set: loading a route loads the app.
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

/** The exports of a route module that tests use. */
interface RouteModule {
  loader?: Handler;
  action?: Handler;
  default?: unknown;
  ErrorBoundary?: unknown;
  handle?: unknown;
}

interface AppRoute {
  id: string;
  parentId: string | undefined;
  /** Relative to the app folder: `routes/listings.$id.tsx`. */
  file: string;
  index: boolean;
  /** The full path with its parameters: `/listings/:id`. */
  path: string;
}

const appFolder = fileURLToPath(new URL("../../app", import.meta.url));
const manifest = flatRoutes(appFolder, remixConfig.ignoredRouteFiles);
const modules = {
  ...import.meta.glob<RouteModule>("../../app/routes/**/*.{ts,tsx}"),
  ...import.meta.glob<RouteModule>("../../app/root.tsx"),
};

/** Every route of the app except the root. */
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

/** Loads the module of a route, the same one that the app runs. */
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

const childrenOf = new Map<string, (typeof manifest)[string][]>();
for (const route of Object.values(manifest)) {
  const parentId = route.parentId ?? "root";
  childrenOf.set(parentId, [...(childrenOf.get(parentId) ?? []), route]);
}

function branchesOf(parentId: string): AgnosticRouteObject[] {
  return (childrenOf.get(parentId) ?? []).map(({ id, path, caseSensitive, index }) =>
    index
      ? { id, path, caseSensitive, index: true as const }
      : { id, path, caseSensitive, children: branchesOf(id) },
  );
}

// Once for all requests: it takes longer than many a loader.
const tree = [{ id: "root", path: "", children: branchesOf("root") }];
const matched = new Map<string, Match[]>();

/** The routes that match a path, outermost first; empty when there is no such page. */
export function matchPath(pathname: string): Match[] {
  const known = matched.get(pathname);
  if (known) return known;
  const matches = (matchRoutes(tree, pathname) ?? []).map((match) => ({
    id: match.route.id,
    params: match.params,
  }));
  matched.set(pathname, matches);
  return matches;
}

/** Answers a request as the server does: routing, parallel loaders, rendering, and headers. */
export async function answerAsServer(request: Request): Promise<Response> {
  const pathname = new URL(request.url).pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/");
  const matches = matchPath(pathname);
  const ids = matches.length > 0 ? matches.map((match) => match.id) : ["root"];
  const handler = createRequestHandler(await buildOf(ids), "test");
  return handler(request, {});
}

/** A server build with only the modules that one request needs, which loads quickly. */
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
