import { parseRowId } from "~/text/row-id";
import { parseUuid } from "~/text/uuid";

import { notFound, type HttpError } from "./errors.server";

/**
 * Parsers for the parameters of a route's URL. Each throws the route's own 404 for anything else.
 */

/**
 * The id of a row: a positive whole number. @param missing the answer for anything that can't be an
 * id
 */
export const rowIdParam =
  (missing: () => HttpError = notFound) =>
  (text: string | undefined): number => {
    const id = parseRowId(text);
    if (id === null) throw missing();
    return id;
  };

/** A UUID, in lower case. @param missing the answer for anything else */
export const uuidParam =
  (missing: () => HttpError = notFound) =>
  (text: string | undefined): string => {
    const id = parseUuid(text);
    if (id === null) throw missing();
    return id;
  };

/** A text of a known form, such as an id of another service. @param missing the answer for any other */
export const textParam =
  (form: RegExp, missing: () => HttpError = notFound) =>
  (text: string | undefined): string => {
    if (text === undefined || !form.test(text)) throw missing();
    return text;
  };
