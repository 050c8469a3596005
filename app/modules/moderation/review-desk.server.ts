import { randomUUID } from "node:crypto";

import { json, redirect } from "@remix-run/node";
import { z } from "zod";

import { redirectWithFlash } from "~/http/flash.server";
import { readField, parseForm, formErrorResponse } from "~/http/form.server";
import { paths } from "~/http/paths";
import type { ActionContext, RouteContext } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { DataError } from "~/integrations/supabase/data.server";
import { getCategoryOptions } from "~/modules/listings/listing.server";

import { decisionOf } from "./decision-rules";
import { chooseListings, type ChosenItem } from "./decisions.server";
import {
  listingsFilter,
  listingsTable,
  sizeInAddress,
  type ListingsFilter,
  type ListingView,
} from "./listings-filter";
import { listingsPage, tablePlace, type ListingsPage } from "./listings-table.server";
import {
  deleteView,
  savedViews,
  savedViewSchema,
  saveView,
  type SavedView,
} from "./saved-views.server";

/** A table of the review desk, as its page needs it. */
export interface Desk extends ListingsPage {
  view: ListingView;
  filter: ListingsFilter;
  size: number;
  categories: { id: number; name: string }[];
  /** The caller's own saved views. */
  views: SavedView[];
  /** Whether every listing of this page is ticked from the start, and where that page is. */
  ticked: boolean;
  tickedAddress: string;
}

/** Reads a table of the review desk, as its address asks for it. */
export async function reviewDesk({ db, url }: RouteContext<"admin">, view: ListingView) {
  const filter = listingsFilter(url.searchParams, view);
  const place = tablePlace(url.searchParams);
  const [page, { categories }, views] = await Promise.all([
    listingsPage(db, filter, place),
    getCategoryOptions(db),
    savedViews(db),
  ]);
  const { size, after, before } = place;
  const here = {
    rows: sizeInAddress(size),
    after: after ?? undefined,
    before: before ?? undefined,
  };
  return json<Desk>({
    ...page,
    view,
    filter,
    size,
    categories,
    views,
    ticked: url.searchParams.get("ticked") === "page",
    tickedAddress: listingsTable(filter, { ...here, ticked: "page" }),
  });
}

/** The listings ticked in a form ("id:version"), as they were sent: the database answers for each. */
function tickedListings(form: FormData): ChosenItem[] {
  return form.getAll("listing").flatMap((value) => {
    if (typeof value !== "string") return [];
    const [id = "", version = ""] = value.slice(0, 60).split(":");
    return [{ id, version }];
  });
}

/**
 * Freezes what was chosen in a table: the ticked listings, or all that its filter finds. Then asks what would become
 * of them; nothing is decided yet, so that sending it twice does no harm.
 */
async function choose({ db, form, url }: ActionContext<"admin">, view: ListingView) {
  const filter = listingsFilter(url.searchParams, view);
  const refused = (because: string) =>
    formErrorResponse(parseForm(form, z.unknown()), { errors: { "": [because] } });
  const action = decisionOf(readField(form, "action"));
  if (action === null) return refused("Choose what to do with these listings.");
  const batch = randomUUID();
  try {
    await chooseListings(
      db,
      batch,
      form.get("all") === "yes" ? { filter } : { items: tickedListings(form) },
    );
  } catch (error) {
    if (!(error instanceof DataError) || error.code !== "P0001") throw error;
    return refused(error.message);
  }
  return redirect(paths.adminDecision(batch, { action, ...filter }), 303);
}

/** Keeps the filter of a table under a name. */
async function keepView({ db, form, url }: ActionContext<"admin">, view: ListingView) {
  const submission = parseForm(form, savedViewSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  const filter = listingsFilter(url.searchParams, view);
  try {
    await saveView(db, submission.value.name, filter);
  } catch (error) {
    if (!(error instanceof DataError) || error.code !== "P0001") throw error;
    return formErrorResponse(submission, { errors: { name: [error.message] } });
  }
  return redirectWithFlash(listingsTable(filter), `“${submission.value.name}” is saved.`);
}

async function dropView({ db, form, url }: ActionContext<"admin">, view: ListingView) {
  const id = parseRowId(readField(form, "saved"));
  if (id !== null) await deleteView(db, id);
  return redirectWithFlash(
    listingsTable(listingsFilter(url.searchParams, view)),
    "The view is deleted.",
  );
}

/** What the forms of a table ask for. */
export const deskActions = (view: ListingView) => ({
  choose: (context: ActionContext<"admin">) => choose(context, view),
  "save-view": (context: ActionContext<"admin">) => keepView(context, view),
  "delete-view": (context: ActionContext<"admin">) => dropView(context, view),
});
