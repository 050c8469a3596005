import { roundsOf, type Call } from "./calls";

interface RefusedForm {
  lastResult?: {
    error?: Record<string, string[] | null> | null;
    initialValue?: Record<string, unknown> | null;
  };
}

/** A complete response, with what tests read from it. */
export class Answer {
  private constructor(
    /** The request, for messages: `POST /listings/new`. */
    readonly asked: string,
    readonly status: number,
    readonly headers: Headers,
    /** The body as it was received. */
    readonly body: string,
    /** The calls to Supabase made for it. */
    readonly calls: Call[],
  ) {}

  static async of(asked: string, response: Response, calls: Call[]): Promise<Answer> {
    return new Answer(asked, response.status, response.headers, await response.text(), calls);
  }

  /** The target of a redirect: a path when it stays on the site; null when it is no redirect. */
  get location(): string | null {
    const location = this.headers.get("Location");
    const own = process.env["APP_URL"]!;
    return location?.startsWith(`${own}/`) ? location.slice(own.length) : location;
  }

  /** What a loader or action returned, parsed. @throws when the body is not JSON */
  get data(): unknown {
    return JSON.parse(this.body) as unknown;
  }

  /** The errors of a rejected form, by field; `""` is the whole form. Empty when nothing was rejected. */
  get errors(): Record<string, string[]> {
    const errors = this.#refused?.lastResult?.error ?? {};
    return Object.fromEntries(
      Object.entries(errors).map(([name, messages]) => [name, messages ?? []]),
    );
  }

  /** The values that a rejected form retained. */
  get kept(): Record<string, unknown> {
    return this.#refused?.lastResult?.initialValue ?? {};
  }

  get setCookies(): string[] {
    return this.headers.getSetCookie();
  }

  /** The rounds of calls to Supabase: each had to wait for an answer of the round before. */
  get rounds(): string[] {
    return roundsOf(this.calls);
  }

  /** The title of a document. */
  get title(): string | null {
    return textOf(/<title[^>]*>(.*?)<\/title>/s.exec(this.body)?.[1]);
  }

  /** The main heading of a document. */
  get heading(): string | null {
    return textOf(/<h1[^>]*>(.*?)<\/h1>/s.exec(this.body)?.[1]);
  }

  /** The text of a document as a user reads it: without markup, scripts and hidden data. */
  get text(): string {
    return textOf(this.body.replace(/<(script|style|template|head)\b.*?<\/\1>/gs, " ")) ?? "";
  }

  /** The value of the first control with this name, such as a hidden field. */
  value(name: string): string | undefined {
    const control = new RegExp(
      `<input[^>]*\\bname="${name.replace(/[.[\]$]/g, "\\$&")}"[^>]*>`,
    ).exec(this.body)?.[0];
    const value = control && /\bvalue="([^"]*)"/.exec(control)?.[1];
    return value === undefined ? undefined : unescapeHtml(value);
  }

  /** The selected value of the select box with this name. */
  chosen(name: string): string | undefined {
    const select = new RegExp(`<select[^>]*\\bname="${name}".*?</select>`, "s").exec(
      this.body,
    )?.[0];
    const option = select && /<option[^>]*\bselected\b[^>]*>/.exec(select)?.[0];
    return option ? /\bvalue="([^"]*)"/.exec(option)?.[1] : undefined;
  }

  get #refused(): RefusedForm | null {
    if (!this.headers.get("Content-Type")?.includes("json")) return null;
    const data = this.data;
    return typeof data === "object" ? data : null;
  }
}

function textOf(html: string | undefined): string | null {
  if (html === undefined) return null;
  const words = html
    .replace(/<!--.*?-->/gs, "")
    .replace(/<\/?(a|abbr|b|bdi|code|del|em|i|ins|small|span|strong|time|wbr)\b[^>]*>/g, "")
    .replace(/<[^>]+>/g, " ");
  return unescapeHtml(words).replace(/\s+/g, " ").trim();
}

const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " };

function unescapeHtml(text: string) {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex: string, decimal: string, name: string) => {
      if (hex) return String.fromCodePoint(parseInt(hex, 16));
      if (decimal) return String.fromCodePoint(Number(decimal));
      return named[name] ?? whole;
    },
  );
}
