import { lazyPart } from "~/components/layout/lazy-part";

/**
 * Parts of a listing's form that few people see, or that are below it: other people need not load
 * their code first.
 */
export const EditStatus = lazyPart("edit-status", () => import("./edit-status"));
export const ListingOptions = lazyPart("listing-options", () => import("./listing-options"));
export const ListingConflict = lazyPart("listing-conflict", () => import("./listing-conflict"));
