import { lazyPart } from "~/components/layout/lazy-part";

/** The comparison of two versions, for pages that seldom show it: the others need not load its code. */
export const VersionConflict = lazyPart("version-conflict", () => import("./version-conflict"));
