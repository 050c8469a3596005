/** What a failure says where Remix renders no page for it. */
export interface ShownFailure {
  title: string;
  message: string;
  /** Lets the team find the failure in the log. */
  requestId?: string | undefined;
  /** The URL of "Try again". */
  retryHref?: string | undefined;
}

type RenderFailure = (failure: ShownFailure) => string;

let render: RenderFailure | undefined;

/** Sets how failures look. The components are above this layer, so entry.server passes them in. */
export function renderFailuresWith(renderFailure: RenderFailure): void {
  render = renderFailure;
}

/**
 * The HTML of a failure as a document of its own, to be sent with buildFailurePolicy(); null where no server runs, and
 * a loader is called by itself.
 */
export const renderFailure = (failure: ShownFailure): string | null => render?.(failure) ?? null;
