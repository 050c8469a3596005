import { roundsOf, type Call } from "./calls";

interface RefusedForm {
  lastResult?: {
    error?: Record<string, string[] | null> | null;
    initialValue?: Record<string, unknown> | null;
  };
}

/** A response that has arrived whole, with what tests ask of it. */
export class Answer {
  private constructor(
    /** What was asked, for messages: `POST /listings/new`. */
    readonly asked: string,
    readonly status: number,
    readonly headers: Headers,
    /** The body as it came over the wire. */
    readonly body: string,
    /** The calls to Supabase made for it. */
    readonly calls: Call[],
  ) {}

  static async of(asked: string, response: Response, calls: Call[]): Promise<Answer> {
    return new Answer(asked, response.status, response.headers, await response.text(), calls);
  }

  /** Where it redirects to: a path when it stays on the site; null when it does not redirect. */
  get location(): string | null {
    const location = this.headers.get("Location");
    const own = process.env["APP_URL"]!;
    return location?.startsWith(`${own}/`) ? location.slice(own.length) : location;
  }

  /** What a loader or action gave, parsed. Throws when the body is no JSON. */
  get data(): unknown {
    return JSON.parse(this.body) as unknown;
  }

  /** What a refused form said, by field; `""` is the whole form. Empty when nothing was refused. */
  get errors(): Record<string, string[]> {
    const errors = this.#refused?.lastResult?.error ?? {};
    return Object.fromEntries(
      Object.entries(errors).map(([name, messages]) => [name, messages ?? []]),
    );
  }

  /** What a refused form kept of what was typed. */
  get kept(): Record<string, unknown> {
    return this.#refused?.lastResult?.initialValue ?? {};
  }

  get setCookies(): string[] {
    return this.headers.getSetCookie();
  }

  /** The rounds of calls to Supabase: each had to wait for an answer of the one before. */
  get rounds(): string[] {
    return roundsOf(this.calls);
  }

  /** A document's title. */
  get title(): string | null {
    return textOf(/<title[^>]*>(.*?)<\/title>/s.exec(this.body)?.[1]);
  }

  /** A document's main heading. */
  get heading(): string | null {
    return textOf(/<h1[^>]*>(.*?)<\/h1>/s.exec(this.body)?.[1]);
  }

  /** A document's text as a person reads it: without markup, scripts and hidden data. */
  get text(): string {
    return textOf(this.body.replace(/<(script|style|template|head)\b.*?<\/\1>/gs, " ")) ?? "";
  }

  /** The value of a document's first control of this name, such as a hidden field. */
  value(name: string): string | undefined {
    const control = new RegExp(
      `<input[^>]*\\bname="${name.replace(/[.[\]$]/g, "\\$&")}"[^>]*>`,
    ).exec(this.body)?.[0];
    const value = control && /\bvalue="([^"]*)"/.exec(control)?.[1];
    return value === undefined ? undefined : unescapeHtml(value);
  }

  /** The value that a document's select box of this name stands at. */
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
    .replace(/<\/?(a|abbr|b|code|del|em|i|ins|small|span|strong|time|wbr)\b[^>]*>/g, "")
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
