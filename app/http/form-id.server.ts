import { createHash, randomUUID } from "node:crypto";

import { redirect } from "@remix-run/node";

import { isUuid, parseUuid } from "~/text/uuid";

import { readField } from "./form.server";
import { paths } from "./paths";
import { findPostedForm } from "./respond.server";

/** Pages with a form for something new. */
const NEW_FORMS = [paths.newListing(), paths.newJob(), paths.newSponsorship()];

/**
 * Whether a page has a form for something new, but its URL has no id for it yet. Such a page
 * redirects to a URL with one.
 */
export const lacksFormId = ({ pathname, searchParams }: URL): boolean =>
  NEW_FORMS.includes(pathname) && !isUuid(searchParams.get("draft"));

/** The id that a posted form has, for the page that shows it again; a new one for every other form. */
export function makeFormId(): string {
  const posted = findPostedForm();
  const sent = posted && readField(posted, "submission_id");
  return parseUuid(sent) ?? randomUUID();
}

/**
 * The id of a form for something new, by which its draft is found and a second submission
 * recognized. It is in the URL, since "Back" restores what was typed into the page of that URL, and
 * requests the rest from the server: an id that came with the page would be a different one each
 * time. A form that comes back with errors has its own.
 * @throws a redirect to the page with a new id, when there is none
 */
export function requireFormId(url: URL): string {
  if (findPostedForm()) return makeFormId();
  const id = parseUuid(url.searchParams.get("draft"));
  if (id !== null) return id;
  const target = new URL(url);
  target.searchParams.set("draft", randomUUID());
  throw redirect(`${target.pathname}${target.search}`);
}

/** A UUID that is the same for the same text. */
export const toUuid = (text: string): string =>
  createHash("sha256")
    .update(text)
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");

/**
 * The id of a form that made one thing, went back, and is now sent for another one: so that this one is also made once,
 * however often the form is sent.
 * @param name what tells it from others that the same form makes
 */
export const nextFormId = (id: string, name = ""): string => toUuid(`after ${id}: ${name}`);
