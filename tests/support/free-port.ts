import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Ports that no system assigns by itself: Linux begins at 32768, others at 49152. One that it assigned and that is
 * free again may be taken, by any connection, before the program listens that it is for. Below 20000 are those that
 * people use.
 */
const FIRST = 20_000;
const END = 32_768;

/** A loopback port that is free, and stays so for a program that is started with it. */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, END);
  return (await isFree(port)) ? port : freePort();
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
