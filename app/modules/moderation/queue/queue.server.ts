import { createHash, randomUUID } from "node:crypto";

import { json, redirect } from "@remix-run/node";
import { z } from "zod";

import { redirectWithFlash } from "~/http/flash.server";
import { formErrorResponse, parseForm, readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import {
  routeAction,
  routeLoader,
  type ActionContext,
  type RouteContext,
} from "~/http/route.server";
import { DataError } from "~/integrations/supabase/data.server";
import { explainRefusal } from "~/http/refusals.server";
import { isolate } from "~/text/isolate";

import { approveOnce, createBatch, type SelectedListing } from "../decisions/batch.server";
import { UNDONE_SINCE } from "../decisions/outcome-texts";
import { undoDecision } from "../decisions/undo.server";
import { parseDecision } from "../decisions/rules";
import {
  listBuiltInViews,
  PAGE_SIZES,
  pageSizeParam,
  parseFilter,
  queuePath,
  toTicked,
  type ListingsFilter,
  type NamedFilter,
  type Queue,
} from "./filter";
import { listListings, parsePageRequest, type ListingsPage } from "./listings.server";
import { deleteView, listSavedViews, saveView, type SavedView } from "./saved-views.server";
import { MODERATION_REFUSALS } from "../refusals";

/** A view above the table: a link to a filter, and how many listings it finds if that is counted. */
export interface QueueView {
  name: string;
  path: string;
  current: boolean;
  count?: string;
}

/** A queue as its page shows it. */
export interface QueueData extends Omit<ListingsPage, "counts"> {
  queue: Queue;
  filter: ListingsFilter;
  size: number;
  /** The same page with other numbers of rows, from its first row. */
  sizes: { size: number; path: string }[];
  views: QueueView[];
  /** The caller's own saved views. */
  savedViews: SavedView[];
  /**
   * What is selected when the page loads: everything, or some listings by their ids. Also the URLs
   * that select everything and nothing.
   */
  ticked: "page" | string[];
  selectPagePath: string;
  clearPath: string;
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
        choose: (context) =>
          context.form.has("approve") ? approveRow(context, queue) : selectListings(context, queue),
        undo: (context) => undoDecision(context, readPage(context, queue).path),
        "save-view": (context) => saveView(context, queue),
        "delete-view": (context) => deleteView(context, queue),
      },
    ),
  };
}

/** The filter of the queue in a URL, and the URL of the same page with nothing selected. */
function readPage({ url }: Pick<RouteContext<"admin">, "url">, queue: Queue) {
  const filter = parseFilter(url.searchParams, queue);
  const request = parsePageRequest(url.searchParams);
  const here = {
    rows: pageSizeParam(request.size),
    after: request.after ?? undefined,
    before: request.before ?? undefined,
  };
  return {
    filter,
    request,
    here,
    path: queuePath(filter, here),
  };
}

/**
 * The mark in a URL that selects all listings of a page, as long as they are what an admin has read
 * there. (All ids and versions would be too long.)
 */
const toPageMark = (rows: ListingsPage["rows"]) =>
  createHash("sha256").update(toTicked(rows)).digest("base64url").slice(0, 12);

/** What a URL selects: a page by its mark, or listings in the version that an admin has read ("12.3-15.1"). */
function readTicked(text: string | null, rows: ListingsPage["rows"]): QueueData["ticked"] {
  if (text === toPageMark(rows)) return "page";
  const wanted = new Set(text?.slice(0, 2_000).split("-"));
  return rows.filter((row) => wanted.has(toTicked([row]))).map(({ id }) => String(id));
}

async function loadQueue({ db, url }: RouteContext<"admin">, queue: Queue) {
  const { filter, request, here: position, path } = readPage({ url }, queue);
  const builtIn = listBuiltInViews(queue);
  const [{ counts, ...page }, savedViews] = await Promise.all([
    listListings(
      db,
      filter,
      request,
      builtIn.map((view) => view.filter),
    ),
    listSavedViews(db),
  ]);
  const named: NamedFilter[] = [...builtIn, ...savedViews];
  const { sort: _, ...inAnyOrder } = filter;
  const here = [filter, inAnyOrder]
    .map((one) => queuePath(one))
    .find((path) => named.some((view) => queuePath(view.filter) === path));
  const views = named.map(({ name, filter: view }, index): QueueView => ({
    name,
    path: queuePath(view, { rows: pageSizeParam(request.size) }),
    current: queuePath(view) === here,
    ...(counts[index] === undefined ? {} : { count: counts[index] }),
  }));
  return json<QueueData>({
    ...page,
    queue,
    filter,
    size: request.size,
    sizes: PAGE_SIZES.map((size) => ({
      size,
      path: queuePath(filter, { rows: pageSizeParam(size) }),
    })),
    views,
    savedViews,
    ticked: readTicked(url.searchParams.get("ticked"), page.rows),
    selectPagePath: queuePath(filter, { ...position, ticked: toPageMark(page.rows) }),
    clearPath: path,
  });
}

/**
 * Approves one listing in the version that its row showed, at once: its changes are in the row, and it
 * can be undone.
 */
async function approveRow({ db, form, url, session }: ActionContext<"admin">, queue: Queue) {
  const { path } = readPage({ url }, queue);
  const seen = parseItem(readField(form, "approve"));
  const formError = (sentence: string, status: 400 | 409) =>
    formErrorResponse(parseForm(form, z.unknown()), { errors: { "": [sentence] }, status });
  try {
    const { batch, counts, rows } = await approveOnce(db, session.user, seen);
    const [row] = rows;
    const name = row?.name ? `“${isolate(row.name)}”` : "This listing";
    const reason = counts.undone > 0 ? UNDONE_SINCE : (row?.reason ?? "");
    if (counts.done === 0) return formError(`${name} wasn’t approved. ${reason}`.trim(), 409);
    return await redirectWithFlash(path, {
      tone: "success",
      text: [`${name} is approved.`, row?.warning].filter(Boolean).join(" "),
      undo: { action: path, fields: { batch } },
    });
  } catch (error) {
    if (!(error instanceof DataError) || error.reason === null) throw error;
    return formError(explainRefusal(error, MODERATION_REFUSALS), 409);
  }
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

/** The selected listings as they were sent. The database answers for each of them. */
const readSelectedListings = (form: FormData): SelectedListing[] =>
  form
    .getAll("listing")
    .filter((value) => typeof value === "string")
    .map(parseItem);

/** A listing as a form sends it: "id:version". */
function parseItem(value: string): SelectedListing {
  const [id = "", version = ""] = value.slice(0, 60).split(":");
  return { id, version };
}
