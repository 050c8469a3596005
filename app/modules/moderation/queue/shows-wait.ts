import { getQueue, type ListingsFilter } from "./filter";

/** Whether the table shows how long each listing has waited: in queues, and of requests for removal. */
export const showsWait = (filter: ListingsFilter): boolean =>
  filter.archive === "requested" || !["all", "premium"].includes(getQueue(filter));
