import { readBody } from "../body";
import { lockFolder } from "../folder-lock";
import { Account } from "./account";
import { answerApi } from "./api";
import { Courier, type Send } from "./deliveries";
import { answerPage } from "./pages/pages";
import { catchUp } from "./passing-time";
import { Store } from "./store";

export interface LocalStripeOptions {
  /** Where it is reached: the API at `/v1/…`, the hosted pages beside it. */
  origin: string;
  /** The one key that it knows. */
  secretKey: string;
  /** Where to keep everything; left out, in memory. */
  file?: string;
  /** Sends a webhook; left out, over HTTP. */
  send?: Send;
  /** Lets time pass and sends what is due without being asked: for a server that runs on. */
  ticking?: boolean;
  /** Origin of the app, for links back to it. */
  appUrl?: string;
}

const TICK_MS = 1_000;
/** How long a person who has paid waits for the app to hear of it before they are sent back. */
const WAITS_FOR_WEBHOOKS_MS = 10_000;
const SEND_TIMEOUT_MS = 20_000;

/**
 * A stand-in for Stripe: its API for the official SDK, hosted pages that work without script, and signed
 * webhooks. Nothing of it leaves this machine, and no money moves.
 */
export class LocalStripe {
  readonly account: Account;
  readonly #options: LocalStripeOptions;
  readonly #courier: Courier;
  readonly #ticker: NodeJS.Timeout | undefined;
  readonly #unlock: () => void;

  constructor(options: LocalStripeOptions) {
    this.#options = options;
    this.#unlock = options.file ? lockFolder(options.file) : () => undefined;
    this.account = new Account(new Store(options.file), options.origin);
    this.#courier = new Courier(this.account, options.send ?? sendOverHttp);
    if (options.ticking) {
      this.#ticker = setInterval(() => this.#tick(), TICK_MS);
      this.#ticker.unref();
    }
  }

  /** Answers a request to the API or to one of the pages; undefined when there is nothing of the kind. */
  async fetch(request: Request): Promise<Response | undefined> {
    const url = new URL(request.url);
    const isApi = url.pathname.startsWith("/v1/");
    const body = await readBody(request);
    if (body === "too large")
      return Response.json(
        { error: { message: "The request is larger than 10 MB." } },
        { status: 413 },
      );
    const text = body ? new TextDecoder().decode(body) : "";
    catchUp(this.account);
    const response = isApi
      ? answerApi(this.account, this.#options.secretKey, {
          method: request.method,
          url,
          headers: request.headers,
          body: text,
        })
      : await answerPage({
          account: this.account,
          appUrl: this.#options.appUrl ?? null,
          method: request.method,
          url,
          headers: request.headers,
          form: new URLSearchParams(text),
          settled: () => this.#settledSoon(),
        });
    void this.#courier.run();
    return response;
  }

  /** Resolves when every webhook that is due has been sent. */
  settled(): Promise<void> {
    return this.#courier.run();
  }

  /** Stops ticking, lets what is being sent arrive, and gives the file back. */
  async stop(): Promise<void> {
    clearInterval(this.#ticker);
    await this.#courier.stop();
    this.#unlock();
  }

  async #settledSoon(): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const limit = new Promise<void>(
      (resolve) => (late = setTimeout(resolve, WAITS_FOR_WEBHOOKS_MS)),
    );
    await Promise.race([this.#courier.run(), limit]);
    clearTimeout(late);
  }

  #tick(): void {
    catchUp(this.account);
    void this.#courier.run();
  }
}

const sendOverHttp: Send = async (url, body, headers) => {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { ...headers, "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)" },
    // Stripe follows no redirect either: it counts as a failure.
    redirect: "manual",
    signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
  });
  return { status: response.status, words: await response.text() };
};
