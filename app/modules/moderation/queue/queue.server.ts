import { randomUUID } from "node:crypto";

import { json, redirect } from "@remix-run/node";
import { z } from "zod";

import { formErrorResponse, parseForm, readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import {
  routeAction,
  routeLoader,
  type ActionContext,
  type RouteContext,
} from "~/http/route.server";
import { DataError } from "~/integrations/supabase/data.server";
import { getCategoryOptions } from "~/modules/listings/listing.server";
import { explainRefusal } from "~/http/refusals.server";

import { createBatch, type SelectedListing } from "../decisions/batch.server";
import { parseDecision } from "../decisions/rules";
import { pageSizeParam, parseFilter, queuePath, type ListingsFilter, type Queue } from "./filter";
import { listListings, parsePageRequest, type ListingsPage } from "./listings.server";
import { deleteView, listSavedViews, saveView, type SavedView } from "./saved-views.server";
import { MODERATION_REFUSALS } from "../refusals";

/** A queue as its page shows it. */
export interface QueueData extends ListingsPage {
  queue: Queue;
  filter: ListingsFilter;
  size: number;
  categories: { id: number; name: string }[];
  /** The caller's own saved views. */
  views: SavedView[];
  /** Whether every listing of the page is selected when it loads, and the URL for that. */
  pageSelected: boolean;
  selectPagePath: string;
}

/**
 * The loader and the action of a queue's page. The client's half is `queuePage`: a page script must
 * not import this file.
 */
export function queueRoute(queue: Queue) {
  return {
    loader: routeLoader({ access: "admin" }, (context) => loadQueue(context, queue)),
    action: routeAction(
      { access: "admin" },
      {
        choose: (context) => selectListings(context, queue),
        "save-view": (context) => saveView(context, queue),
        "delete-view": (context) => deleteView(context, queue),
      },
    ),
  };
}

async function loadQueue({ db, url }: RouteContext<"admin">, queue: Queue) {
  const filter = parseFilter(url.searchParams, queue);
  const request = parsePageRequest(url.searchParams);
  const [page, { categories }, views] = await Promise.all([
    listListings(db, filter, request),
    getCategoryOptions(db),
    listSavedViews(db),
  ]);
  const { size, after, before } = request;
  const here = {
    rows: pageSizeParam(size),
    after: after ?? undefined,
    before: before ?? undefined,
  };
  return json<QueueData>({
    ...page,
    queue,
    filter,
    size,
    categories,
    views,
    pageSelected: url.searchParams.get("ticked") === "page",
    selectPagePath: queuePath(filter, { ...here, ticked: "page" }),
  });
}

/**
 * Creates a decision batch of the selected listings, or of all that the filter finds, and shows what
 * the decision would do. Nothing is decided yet, so sending the form twice does no harm.
 */
async function selectListings({ db, form, url }: ActionContext<"admin">, queue: Queue) {
  const filter = parseFilter(url.searchParams, queue);
  const formError = (sentence: string) =>
    formErrorResponse(parseForm(form, z.unknown()), { errors: { "": [sentence] } });
  const action = parseDecision(readField(form, "action"));
  if (action === null) return formError("Choose what to do with these listings.");
  const batch = randomUUID();
  try {
    await createBatch(
      db,
      batch,
      form.get("all") === "yes" ? { filter } : { items: readSelectedListings(form) },
    );
  } catch (error) {
    if (!(error instanceof DataError) || error.reason === null) throw error;
    return formError(explainRefusal(error, MODERATION_REFUSALS));
  }
  return redirect(paths.adminDecision(batch, { action, ...filter }), 303);
}

/** The selected listings ("id:version") as they were sent. The database answers for each of them. */
function readSelectedListings(form: FormData): SelectedListing[] {
  return form.getAll("listing").flatMap((value) => {
    if (typeof value !== "string") return [];
    const [id = "", version = ""] = value.slice(0, 60).split(":");
    return [{ id, version }];
  });
}
