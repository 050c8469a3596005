/** What incoming.server.ts attaches to every request, over whatever the client sent by these names. */
export const ORIGIN_HEADER = "x-dashboard-origin";
export const PEER_HEADER = "x-dashboard-peer";
export const REQUEST_ID_HEADER = "x-request-id";
