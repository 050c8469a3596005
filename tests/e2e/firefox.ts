/**
 * What Playwright does not do yet for the Firefox that people install, which it drives with WebDriver BiDi. Some of it
 * reaches into Playwright, whose version is pinned: without, no context opens.
 */
import type { Browser, Page } from "playwright/test";

interface Header {
  name: string;
  value: { type: "string"; value: string };
}

interface Message {
  id?: number;
  type?: "success";
  method?: string;
  params?: {
    context?: string;
    isBlocked?: boolean;
    request: { request: string; destination: string };
    response: { headers: Header[] };
  };
  result?: object;
}

/** Playwright's own object behind a browser, in the same process. */
interface Inside {
  _connection: { _transport: { send(message: object): void; onmessage(message: Message): void } };
  _bidiPages: Map<string, { _browserContext: { _options: { javaScriptEnabled?: boolean } } }>;
}

/** Firefox ESR 153 does not have it. Its settings say that nothing moves. */
const UNKNOWN = "emulation.setMediaFeaturesOverride";

/**
 * BiDi can't turn script off, and with Firefox's own setting Playwright's script would not run either. In a sandboxed
 * document no script runs, `<noscript>` is shown, and `scripting: none` matches.
 */
const WITHOUT_SCRIPT: Header = {
  name: "Content-Security-Policy",
  value: {
    type: "string",
    value:
      "sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-same-origin allow-top-navigation",
  },
};

/** Firefox reports several cookies as one header with a line for each, and does not take that back. */
const splitLines = ({ name, value }: Header): Header[] =>
  value.value.split("\n").map((line) => ({ name, value: { ...value, value: line } }));

/**
 * Makes a Firefox do what Playwright asks of it, before its first context opens.
 * @param scriptOff whether some of its contexts have script turned off
 */
export function adaptFirefox(browser: Browser, scriptOff: boolean): void {
  const { _connection, _bidiPages } = (
    browser as unknown as { _connection: { toImpl(browser: Browser): Inside } }
  )._connection.toImpl(browser);
  const transport = _connection._transport;
  const send = transport.send.bind(transport);
  const receive = transport.onmessage.bind(transport);
  // Playwright counts its own from 1.
  let id = 1_000_000_000;
  transport.send = (message: Message) => {
    if (message.method !== UNKNOWN) return send(message);
    queueMicrotask(() => receive({ type: "success", id: message.id!, result: {} }));
  };
  transport.onmessage = (message: Message) => {
    if (message.method === "network.responseStarted" && message.params?.isBlocked) {
      const { context = "", request, response } = message.params;
      const off = _bidiPages.get(context)?._browserContext._options.javaScriptEnabled === false;
      const headers =
        off && request.destination === "document"
          ? { headers: [...response.headers.flatMap(splitLines), WITHOUT_SCRIPT] }
          : {};
      send({
        id: id++,
        method: "network.continueResponse",
        params: { request: request.request, ...headers },
      });
    }
    receive(message);
  };
  if (scriptOff)
    send({ id: id++, method: "network.addIntercept", params: { phases: ["responseStarted"] } });

  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    await context.addInitScript(TYPE_AS_PEOPLE_DO);
    context.on("page", goAgain);
    return context;
  };
}

/**
 * Playwright may take the end of the last navigation for one that interrupts the next, to its own address, and a redirect
 * to the same page with the id of its form as well.
 */
function goAgain(page: Page): void {
  const goto = page.goto.bind(page);
  page.goto = (url, options) =>
    goto(url, options).catch((error: Error) => {
      const [, wanted, other] =
        /Navigation to "(.+)" is interrupted by another navigation to "(.+)"/.exec(error.message) ??
        [];
      if (!wanted || ![other, other?.replace(/\?draft=.*/, "")].includes(wanted)) throw error;
      return goto(url, options);
    });
}

/**
 * What Firefox reports of a page that is left while it waits for something, and of the stand-ins, whose policy refuses the
 * icon that it asks every host for.
 */
const HARMLESS =
  /error loading dynamically imported module|Error in input stream|\/favicon\.ico because it violates/;

/** Whether nothing is wrong where this Firefox reports something. */
export const isHarmless = (problem: string) => HARMLESS.test(problem);

/** Playwright would set the value of a field by script, which React takes for its own doing. */
const TYPE_AS_PEOPLE_DO = `
  Object.defineProperty(window, "__pw_bidiInsertText", {
    get: () => (text) => void document.execCommand("insertText", false, text),
    set: () => {},
  })`;
