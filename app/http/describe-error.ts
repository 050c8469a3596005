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

const NO_SUCH_FORM = {
  title: "That link or button didn’t work",
  message: "Nothing was changed. Please go back and try again.",
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
  if (error.status === 404) return UNKNOWN_PAGE;
  return { ...(error.status === 405 ? NO_SUCH_FORM : FAULT), status: error.status };
}
