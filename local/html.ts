const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for an HTML element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const NAMED: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

function unescapeHtml(text: string): string {
  return text.replace(/&(#x[\da-f]+|#\d+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return NAMED[name.toLowerCase()] ?? whole;
    const hex = name[1] === "x" || name[1] === "X";
    const code = Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The web URLs to which HTML links, in order, each once. */
export function linksOf(html: string): string[] {
  const links = [...html.matchAll(/<a\b[^>]*\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)]
    .map(([, double, single]) => unescapeHtml(double ?? single ?? "").trim())
    .filter((link) => /^https?:/i.test(link));
  return [...new Set(links)];
}

/** The plain text of HTML. The URL of a link follows its text. */
export function textOf(html: string): string {
  const text = html
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<(head|style|script|title)\b[\s\S]*?<\/\1>/gi, "")
    .replace(/\s+/g, " ")
    .replace(
      /<a\b[^>]*\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>([\s\S]*?)<\/a>/gi,
      (_match, double: string | undefined, single: string | undefined, content: string) => {
        const url = double ?? single ?? "";
        const label = content.replace(/<[^>]+>/g, "").trim();
        return label === url ? url : `${label}: ${url}`;
      },
    )
    .replace(/<br\s*\/?>/gi, "\n")
    .replace(/<\/(p|div|h[1-6]|li|tr|table|ul|ol)>/gi, "\n\n")
    .replace(/<[^>]+>/g, "");
  return unescapeHtml(text)
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** HTML that is safe to put into a page, because the values in it are escaped. */
export class Markup {
  constructor(readonly html: string) {}
}

type Piece = Markup | Piece[] | string | number | null | undefined | false;

/**
 * HTML from a template. A value that is text is escaped; markup and lists of markup stay as they
 * are; null, undefined and false become nothing.
 */
export function markup(parts: TemplateStringsArray, ...pieces: Piece[]): Markup {
  return new Markup(
    parts
      .map((part, index) => part + (index < pieces.length ? htmlOf(pieces[index]) : ""))
      .join(""),
  );
}

function htmlOf(piece: Piece): string {
  if (piece instanceof Markup) return piece.html;
  if (Array.isArray(piece)) return piece.map(htmlOf).join("\n");
  if (piece === null || piece === undefined || piece === false) return "";
  return escapeHtml(String(piece));
}
