/**
 * What is between the browser and the app: it passes requests on, and lets script arrive in the way of the run. WebDriver
 * can neither delay nor refuse what a page loads, and can't read its console, so the scripts report what goes wrong. It
 * has TLS, since WebKit would keep our pages in memory for Back without (docs/decisions/0038-back-from-memory.md).
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as sendRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import getTlsOptions from "smtp-server/lib/tls-options.js";

import { LATE_MS, SCRIPTS, type Way } from "../e2e/ways";

/** Where a page reports its problems. The app has no such page. */
const REPORTS = "/reported-problems";

/** Stands before each file of script, on its first line, so that the lines keep their numbers. */
const REPORTING = `globalThis.reportsProblems ??= (() => {
  const report = (problem) => navigator.sendBeacon("${REPORTS}", problem);
  addEventListener("error", ({ message }) => report("script error: " + message));
  addEventListener("unhandledrejection", ({ reason }) => report("script error: " + reason));
  addEventListener("securitypolicyviolation", ({ blockedURI }) => report("blocked: " + blockedURI));
  for (const level of ["error", "warn"]) {
    const say = console[level];
    console[level] = (...words) => (report("console: " + words.join(" ")), say(...words));
  }
  return true;
})(); `.replaceAll("\n", " ");

interface Options {
  /** The address of the app, which its pages and emails name. */
  url: string;
  /** The port on which the app really listens. */
  appPort: number;
  /** The header that carries the visitor's IP address. */
  visitorHeader: string;
  way: Way;
  /** The file that never arrives, where that is the way. */
  missing: string;
}

export interface Network {
  /** The names of the files of script that the pages asked for. */
  scripts: ReadonlySet<string>;
  /** What went wrong unseen. */
  problems: readonly string[];
  /** From here on, script waits until the returned function is called. */
  holdScripts(): () => void;
  close(): Promise<void>;
}

/** Listens at the address of the app. Each has a visitor's address of its own, since attempts to sign in are limited by it. */
export async function openNetwork(options: Options): Promise<Network> {
  const { way, missing, appPort, visitorHeader } = options;
  const url = new URL(options.url);
  const visitor = `10.${randomBytes(3).join(".")}`;
  const scripts = new Set<string>();
  const problems: string[] = [];
  let held: Promise<void> = Promise.resolve();
  let openedAt = 0;

  function pass(request: IncomingMessage, response: ServerResponse, isScript: boolean) {
    const headers = { ...request.headers, [visitorHeader.toLowerCase()]: visitor };
    if (isScript) headers["accept-encoding"] = "identity";
    const { method, url: path } = request;
    const passed = sendRequest({ host: "127.0.0.1", port: appPort, method, path, headers });
    passed.on("response", (answer) => {
      const status = answer.statusCode!;
      if (status >= 500 || (status >= 400 && path!.startsWith("/assets/")))
        problems.push(`${status}: ${path}`);
      if (isScript && status === 200) {
        delete answer.headers["content-length"];
        response.writeHead(status, answer.headers).write(REPORTING);
      } else response.writeHead(status, answer.headers);
      answer.pipe(response);
    });
    // The browser gives up what it no longer needs.
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  }

  const server = createServer(getTlsOptions(), (request, response) => {
    const { pathname } = new URL(request.url!, url);
    if (pathname === REPORTS) {
      request.setEncoding("utf8").on("data", (problem: string) => problems.push(problem));
      return response.writeHead(204).end();
    }
    if (!SCRIPTS.test(pathname)) {
      if (request.headers.accept?.startsWith("text/html")) openedAt = Date.now();
      return pass(request, response, false);
    }
    const name = basename(pathname);
    scripts.add(name);
    if (way === "blocked" || name === missing) return request.destroy();
    const wait = way === "late" ? Math.max(0, openedAt + LATE_MS - Date.now()) : 0;
    void Promise.all([held, sleep(wait)]).then(() => pass(request, response, true));
  });
  server.listen(Number(url.port), "localhost");
  await once(server, "listening");

  return {
    scripts,
    problems,
    holdScripts() {
      let release = () => {};
      held = new Promise((resolve) => (release = resolve));
      return () => release();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
