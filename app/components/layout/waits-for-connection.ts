/**
 * Whether what the page asked for waits for the connection (wait-for-connection.ts): a form then has reached no one, for
 * minutes perhaps.
 */
export const waitsForConnection = () => document.documentElement.hasAttribute("data-waits");
