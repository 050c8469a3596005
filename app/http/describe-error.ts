import { isRouteErrorResponse } from "@remix-run/react";

import type { ErrorPageData } from "./errors.server";

interface DescribedError extends Partial<ErrorPageData> {
  status: number;
  title: string;
  message: string;
}

const UNKNOWN_PAGE = {
  status: 404,
  title: "Page not found",
  message: "It may have moved, or the link may be incomplete.",
};

const FAULT = {
  status: 500,
  title: "Something went wrong on our side",
  message: "Please try again. If it keeps happening, let us know what you were doing.",
};

/**
 * What an error page shows for what a route threw. Never shows text that wasn't written for users.
 */
export function describeError(error: unknown): DescribedError {
  if (!isRouteErrorResponse(error)) return FAULT;
  const data = error.data as Partial<ErrorPageData> | string | null;
  if (typeof data === "object" && data?.title && data.message) {
    return { ...data, title: data.title, message: data.message, status: error.status };
  }
  // A form was sent to a page that has none (405).
  return [404, 405].includes(error.status) ? UNKNOWN_PAGE : { ...FAULT, status: error.status };
}
