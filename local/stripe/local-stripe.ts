import { readBody } from "../body";
import { lockFolder } from "../folder-lock";
import { Account } from "./account";
import { answerApi } from "./api";
import { runDueTasks } from "./clock";
import { answerPage } from "./pages/router";
import { Store } from "./store";
import { type SendWebhook, WebhookSender } from "./webhook-deliveries";

interface LocalStripeOptions {
  /** The origin at which it is served: the API at `/v1/…`, the hosted pages beside it. */
  origin: string;
  /** The only API key that it accepts. */
  secretKey: string;
  /** The file that stores everything; left out, it stays in memory. */
  file?: string;
  /** Sends a webhook; left out, over HTTP. */
  send?: SendWebhook;
  /** Runs what is due every second, also when no request comes: for a server that keeps running. */
  ticking?: boolean;
  /** Origin of the app, for links back to it. */
  appUrl?: string;
}

const TICK_MS = 1_000;
/**
 * How long a customer who has paid waits for the app to receive its events before they are sent
 * back.
 */
const MAX_WAIT_FOR_WEBHOOKS_MS = 10_000;
const SEND_TIMEOUT_MS = 20_000;

/**
 * A local stand-in for Stripe: its API for the official SDK, hosted pages that work without script,
 * and signed webhooks. Nothing leaves this machine, and no money moves.
 */
export class LocalStripe {
  readonly account: Account;
  readonly #options: LocalStripeOptions;
  readonly #sender: WebhookSender;
  readonly #ticker: NodeJS.Timeout | undefined;
  readonly #unlock: () => void;

  constructor(options: LocalStripeOptions) {
    this.#options = options;
    this.#unlock = options.file ? lockFolder(options.file) : () => undefined;
    this.account = new Account(new Store(options.file), options.origin);
    this.#sender = new WebhookSender(this.account, options.send ?? sendOverHttp);
    if (options.ticking) {
      this.#ticker = setInterval(() => this.#tick(), TICK_MS);
      this.#ticker.unref();
    }
  }

  /** Answers a request to the API or to one of the pages; undefined for any other URL. */
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
    runDueTasks(this.account);
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
          deliverWebhooks: () => this.#deliverForAWhile(),
        });
    void this.#sender.run();
    return response;
  }

  /** Sends every webhook that is due; resolves when that is done. */
  deliverWebhooks(): Promise<void> {
    return this.#sender.run();
  }

  /** Stops ticking, waits for the webhook that is being sent, and unlocks the file. */
  async stop(): Promise<void> {
    clearInterval(this.#ticker);
    await this.#sender.stop();
    this.#unlock();
  }

  async #deliverForAWhile(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>(
      (resolve) => (timer = setTimeout(resolve, MAX_WAIT_FOR_WEBHOOKS_MS)),
    );
    await Promise.race([this.#sender.run(), limit]);
    clearTimeout(timer);
  }

  #tick(): void {
    runDueTasks(this.account);
    void this.#sender.run();
  }
}

const sendOverHttp: SendWebhook = async (url, body, headers) => {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { ...headers, "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)" },
    // As at Stripe, a redirect counts as a failure.
    redirect: "manual",
    signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
  });
  return { status: response.status, body: await response.text() };
};
