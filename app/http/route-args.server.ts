import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";

/** What Remix calls a loader or an action with. */
export type RouteArgs = LoaderFunctionArgs | ActionFunctionArgs;
