import { settleBackgroundWork } from "~/http/background.server";
import { prepareRequest } from "~/http/prepare-request.server";

import { Answer } from "./answer";
import { answerAsServer, loadRoute, matchPath } from "./app";
import { recordCalls } from "./calls";
import { CookieJar } from "./cookie-jar";

type Value = string | number | boolean | readonly (string | number)[] | null | undefined;

/** The fields of a form. `true` is a checked checkbox; false, null and undefined are not sent. */
type Fields = Record<string, Value> | [name: string, value: string][];

interface SendOptions {
  /** The Origin header; null sends none. By default, what a browser on a page of the dashboard sends. */
  origin?: string | null;
  /** The Sec-Fetch-Site header; null sends none, as text browsers do. */
  secFetchSite?: string | null;
  headers?: Record<string, string>;
  /** The raw body instead of fields, with its type in `headers`. */
  body?: BodyInit;
  method?: string;
  /** Returns with the response, and does not wait for the work that begins after it. */
  leaveWork?: boolean;
}

/** Visitor with a browser: with their own cookies and their own IP address. */
export class Person {
  readonly cookies: CookieJar;

  constructor(
    /** The URL of the dashboard, without a trailing slash. */
    readonly appUrl: string,
    readonly supabaseUrl: string,
    /** The IP address of this person, as the server sees it. */
    readonly address: string,
    cookies = new CookieJar(),
  ) {
    this.cookies = cookies;
  }

  /** Calls the loader of the page's own route. */
  async get(path: string, options: SendOptions = {}): Promise<Answer> {
    const request = this.#request("GET", path, undefined, options);
    const answer = await this.#callRoute("loader", request, path, options);
    const target = selfTarget(path, answer);
    return target === null ? answer : this.get(target, options);
  }

  /** Calls the action of the page's own route with a form, as a browser sends it. */
  post(path: string, fields: Fields = {}, options: SendOptions = {}): Promise<Answer> {
    return this.#callRoute("action", this.#request("POST", path, fields, options), path, options);
  }

  /** Opens the page as a document: all its loaders, rendered, with the headers of the real server. */
  async page(path: string, options: SendOptions = {}): Promise<Answer> {
    const request = this.#request("GET", path, undefined, options);
    const answer = await this.#askServer(request, path, options);
    const target = selfTarget(path, answer);
    return target === null ? answer : this.page(target, options);
  }

  /** Sends a form as a browser without script does, and gets the document in response. */
  submit(path: string, fields: Fields = {}, options: SendOptions = {}): Promise<Answer> {
    return this.#askServer(this.#request("POST", path, fields, options), path, options);
  }

  /** Requests the data of the page alone, as a link does where script runs. */
  dataOf(path: string, options: SendOptions = {}): Promise<Answer> {
    const url = new URL(path, this.appUrl);
    const dataPath = `${url.pathname === "/" ? "/_root" : url.pathname}.data${url.search}`;
    return this.#askServer(this.#request("GET", dataPath, undefined, options), path, options);
  }

  /** The same person in a copy of their browser: with the same cookies now, separate from here on. */
  otherTab(): Person {
    return new Person(this.appUrl, this.supabaseUrl, this.address, this.cookies.copy());
  }

  async #callRoute(
    kind: "loader" | "action",
    request: Request,
    path: string,
    options: SendOptions,
  ): Promise<Answer> {
    const url = new URL(request.url);
    const match = matchPath(url.pathname).at(-1);
    if (!match) throw new Error(`No route of the app answers ${path}.`);
    const handler = (await loadRoute(match.id))[kind];
    if (!handler) throw new Error(`Route ${match.id}, which answers ${path}, has no ${kind}.`);
    return this.#answer(request, path, options, async () => {
      try {
        return await handler({ request, params: match.params, context: {} });
      } catch (thrown) {
        if (thrown instanceof Response) return thrown;
        throw thrown;
      }
    });
  }

  #askServer(request: Request, path: string, options: SendOptions): Promise<Answer> {
    return this.#answer(request, path, options, () => answerAsServer(request));
  }

  async #answer(
    request: Request,
    path: string,
    { leaveWork = false }: SendOptions,
    work: () => Promise<unknown>,
  ): Promise<Answer> {
    const asked = `${request.method} ${path}`;
    const { result, calls } = await recordCalls(new URL(this.supabaseUrl).origin, async () => {
      const response = await work();
      if (!(response instanceof Response))
        throw new Error(`${asked} returned something that is not a Response.`);
      this.cookies.store(response.headers);
      return Answer.of(asked, response, []);
    });
    result.calls.push(...calls);
    if (!leaveWork) await settleBackgroundWork();
    return result;
  }

  /** A Request as the server passes it to the app. */
  #request(
    method: string,
    path: string,
    fields: Fields | undefined,
    options: SendOptions,
  ): Request {
    const writes = method === "POST";
    const { origin = writes ? this.appUrl : null, secFetchSite = "same-origin" } = options;
    const headers: Record<string, string> = {
      host: new URL(this.appUrl).host,
      accept: "text/html",
    };
    const cookies = this.cookies.header();
    if (cookies !== null) headers["cookie"] = cookies;
    if (origin !== null) headers["origin"] = origin;
    if (secFetchSite !== null) headers["sec-fetch-site"] = secFetchSite;

    let body: BodyInit | undefined = options.body;
    if (fields && body === undefined) {
      body = encode(fields).toString();
      headers["content-type"] = "application/x-www-form-urlencoded";
    }
    for (const [name, value] of Object.entries(options.headers ?? {}))
      headers[name.toLowerCase()] = value;

    const incoming = {
      method: options.method ?? method,
      url: path,
      headers,
      socket: { remoteAddress: this.address },
    };
    prepareRequest(incoming as unknown as Parameters<typeof prepareRequest>[0]);
    return new Request(new URL(incoming.url, this.appUrl), {
      method: incoming.method,
      headers: incoming.headers,
      ...(body === undefined ? {} : { body, duplex: "half" as const }),
    });
  }
}

/**
 * Where a page is that redirects to itself: with an id for its form for something new, or without the token of the emailed
 * link that opened it. Null for every other answer.
 */
function selfTarget(path: string, { location }: Answer): string | null {
  if (location === null || location.split("?")[0] !== path.split("?")[0]) return null;
  const has = (name: string, url: string) => url.includes(`${name}=`);
  const getsId = has("draft", location) && !has("draft", path);
  const losesToken = has("token_hash", path) && !has("token_hash", location);
  return getsId || losesToken ? location : null;
}

function encode(fields: Fields): URLSearchParams {
  if (Array.isArray(fields)) return new URLSearchParams(fields);
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? (value as (string | number)[]) : [value]) {
      if (one === true) params.append(name, "on");
      else if (one !== false && one !== null && one !== undefined) params.append(name, String(one));
    }
  }
  return params;
}
