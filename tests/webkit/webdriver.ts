/**
 * A WebKitGTK that is driven with W3C WebDriver, as far as the journeys need it. It is a few requests; the clients from
 * npm need a newer Node.js than the product does, and bring many packages.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { startChild } from "../support/child-process";
import { freePort } from "../support/free-port";

const HANGS_AFTER_MS = 60_000;

/** An element of a page, as WebDriver names it. */
export type Element = Record<string, string>;

/** What a function in the page gets. */
type InPage<Args> = { [Key in keyof Args]: Args[Key] extends Element ? HTMLElement : Args[Key] };

interface Options {
  driver: string;
  /** Whether pages may run script. What the driver does in a page works without. */
  script: boolean;
  /** The loopback port of a proxy for every host but this machine. */
  proxyPort: number;
  /** Display and settings (tests/webkit/start-app.ts). */
  env: Record<string, string>;
}

export interface WebKit {
  open(url: string): Promise<void>;
  back(): Promise<void>;
  reload(): Promise<void>;
  /** Calls a function in the page, which knows nothing outside of it. */
  call<Args extends unknown[], Result>(
    inPage: (...args: InPage<Args>) => Result,
    ...args: Args
  ): Promise<Result>;
  /** Finds an element with such a function; null when there is none. */
  find<Args extends unknown[]>(
    inPage: (...args: InPage<Args>) => HTMLElement | null,
    ...args: Args
  ): Promise<Element | null>;
  /** The value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Clicks where a person would: it is an error when something else covers the element. */
  click(element: Element): Promise<void>;
  clear(element: Element): Promise<void>;
  type(element: Element, text: string): Promise<void>;
  /** Presses a key wherever the focus is. */
  key(key: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** A PNG. */
  screenshot(): Promise<Buffer>;
  close(): Promise<void>;
}

/** Starts a browser with a profile of its own. @throws when the driver or the browser does not start */
export async function startWebKit({ driver, script, proxyPort, env }: Options): Promise<WebKit> {
  const port = await freePort();
  const program = startChild({
    command: driver,
    args: [`--port=${port}`],
    env: { ...process.env, ...env },
    folders: [],
    signal: "SIGTERM",
  });
  const send = async <Value>(method: string, path: string, body: object = {}): Promise<Value> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(method === "POST" && { body: JSON.stringify(body) }),
      // A tab that hangs answers nothing anymore.
      signal: AbortSignal.timeout(HANGS_AFTER_MS),
    });
    const { value } = (await response.json()) as { value: unknown };
    if (response.ok) return value as Value;
    const { error, message } = value as { error: string; message: string };
    throw new Error(`${method} ${path.replace(/^\/session\/[^/]*/, "")}: ${error} ${message}`);
  };

  while (!(await send<{ ready: boolean }>("GET", "/status").catch(() => null))?.ready) {
    if (program.hasEnded()) throw new Error(`The driver did not start.\n${program.output()}`);
    await sleep(20);
  }
  const args = [
    "--automation",
    `--enable-javascript=${script}`,
    // WebDriver's own setting for a proxy reaches it with TLS, which takes a certificate.
    `--proxy=http://127.0.0.1:${proxyPort}`,
    "--ignore-host=localhost",
    "--ignore-host=127.0.0.1",
  ];
  const { sessionId } = await send<{ sessionId: string }>("POST", "/session", {
    capabilities: {
      alwaysMatch: {
        acceptInsecureCerts: true,
        // Journeys wait for what they expect. The driver would wait for late script, and with "eager" it may miss the end
        // of a load.
        pageLoadStrategy: "none",
        "webkitgtk:browserOptions": { args },
      },
    },
  });
  const session = `/session/${sessionId}`;
  const post = <Value>(path: string, body?: object) => send<Value>("POST", session + path, body);
  const run = <Value>(script: string, args: unknown[]) =>
    post<Value>("/execute/sync", { script, args });
  const call = <Value>(inPage: (...args: never[]) => unknown, args: unknown[]) =>
    run<Value>(`return (${String(inPage)})(...arguments)`, args);
  const at = (element: Element) => `/element/${Object.values(element)[0]}`;

  return {
    open: (url) => post("/url", { url }),
    back: () => post("/back"),
    reload: () => post("/refresh"),
    call: (inPage, ...given) => call(inPage, given),
    find: (inPage, ...given) => call(inPage, given),
    evaluate: (expression) => run(`return ${expression.trim()}`, []),
    click: (element) => post(`${at(element)}/click`),
    clear: (element) => post(`${at(element)}/clear`),
    type: (element, text) => post(`${at(element)}/value`, { text }),
    key: (value) =>
      post("/actions", {
        actions: [
          {
            type: "key",
            id: "keyboard",
            actions: [
              { type: "keyDown", value },
              { type: "keyUp", value },
            ],
          },
        ],
      }),
    resize: (width, height) => post("/window/rect", { x: 0, y: 0, width, height }),
    screenshot: async () =>
      Buffer.from(await send<string>("GET", `${session}/screenshot`), "base64"),
    async close() {
      // The browser outlives its driver otherwise.
      await send("DELETE", session).catch(() => {});
      await program.stop();
    },
  };
}
