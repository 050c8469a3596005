import { randomUUID } from "node:crypto";

import { redirect } from "@remix-run/node";
import { z } from "zod";

import { readField, parseForm, formErrorResponse } from "~/http/form.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";

import { decide } from "./decisions.server";
import { noSuchListingToReview } from "./listing-details.server";
import { listingsFilter } from "./listings-filter";

/** Approves the one listing that an address names, in the version that was seen, and shows what came of it. */
export async function approveListing({ db, form, params, url }: ActionContext<"admin">) {
  const id = parseRowId(params.id);
  if (id === null) throw noSuchListingToReview();
  const batch = randomUUID();
  const { counts, rows } = await decide(db, batch, "approve", null, [
    { id: String(id), version: readField(form, "version") },
  ]);
  if (counts.missing > 0) throw noSuchListingToReview();
  if (counts.done > 0)
    return redirect(paths.adminDecision(batch, listingsFilter(url.searchParams)), 303);
  const because = rows.map(({ reason }) => reason ?? "");
  return formErrorResponse(parseForm(form, z.unknown()), {
    errors: { "": because },
    status: counts.stale > 0 ? 409 : 400,
  });
}
