import { escapeHtml } from "./html";

/** HTML that is safe to put into a page: what was put into it has been escaped. */
export class Markup {
  constructor(readonly html: string) {}
}

type Piece = Markup | Piece[] | string | number | null | undefined | false;

/** HTML from a template. Text becomes text, whatever it holds; markup and lists of it stay; nothing becomes nothing. */
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
