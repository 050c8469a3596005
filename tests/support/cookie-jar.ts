/** Stores cookies as a browser stores those of one site. */
export class CookieJar {
  #cookies = new Map<string, string>();

  /** Applies the cookies that a response sets and removes. */
  store(headers: Headers) {
    for (const line of headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(/;\s*/);
      const at = pair.indexOf("=");
      const name = pair.slice(0, at);
      if (isExpired(attributes)) this.#cookies.delete(name);
      else this.#cookies.set(name, pair.slice(at + 1));
    }
  }

  get(name: string) {
    return this.#cookies.get(name);
  }

  set(name: string, value: string) {
    this.#cookies.set(name, value);
  }

  delete(name: string) {
    this.#cookies.delete(name);
  }

  /** The Cookie header, or null when there are no cookies. */
  header(): string | null {
    if (this.#cookies.size === 0) return null;
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** A copy, such as a second tab or an attacker may have. */
  copy(): CookieJar {
    const copy = new CookieJar();
    for (const [name, value] of this.#cookies) copy.set(name, value);
    return copy;
  }
}

function isExpired(attributes: string[]) {
  for (const attribute of attributes) {
    const [name, value = ""] = attribute.split("=");
    if (name?.toLowerCase() === "max-age") return Number(value) <= 0;
  }
  return attributes.some((attribute) => {
    const [name, value = ""] = attribute.split("=");
    return name?.toLowerCase() === "expires" && new Date(value).getTime() <= Date.now();
  });
}
