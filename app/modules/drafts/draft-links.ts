/** The parameter of a form's page that fills it in with its draft. */
export const CONTINUE = "continue";
/** The intent that discards the draft of a form. */
export const DISCARD_DRAFT = "discardDraft";

/**
 * The hidden field of a new job's form that has already made a job, and corrects that job when it
 * is sent again.
 */
export const CORRECTS = "corrects";

/** The URL that stores the draft of a form while someone types; of a new listing without a page. */
export const toDraftUrl = (page?: string): `/${string}` =>
  page === undefined ? "/drafts" : `/drafts?form=${page}`;
