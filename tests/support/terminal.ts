/** What a program that runs in a terminal shows: the few codes that a simple terminal needs. */

/**
 * A terminal that can move its cursor and erase, and nothing else, as a terminfo description. A program that knows
 * this terminal uses no other codes, so a reader of its screen needs no others.
 */
export function describeTerminal(name: string): string {
  return `${name}|a terminal that moves its cursor and erases,
  am, cols#80, lines#24, bel=^G, cr=\\r, clear=\\E[H\\E[2J, home=\\E[H, cup=\\E[%i%p1%d;%p2%dH,
  cub1=\\b, cuf1=\\E[C, cuu1=\\E[A, cud1=\\n, ed=\\E[J, el=\\E[K,
  kbs=\\177, kcub1=\\E[D, kcud1=\\E[B, kcuf1=\\E[C, kcuu1=\\E[A,
`;
}

const CODES =
  /\x1b\[(?<first>\d*);?(?<second>\d*)(?<code>[ACHJK])|(?<partial>\x1b\[?[\d;]*$)|(?<move>[\r\n\b\x07])|(?<letter>\P{Cc})/gsu; // eslint-disable-line no-control-regex -- these are the codes

/** The screen of such a terminal. */
export class Screen {
  /** Where the next letter goes, from 0. */
  readonly cursor = { row: 0, column: 0 };
  private readonly rows: string[][] = [];
  /** The beginning of a code whose rest has not arrived. */
  private partial = "";

  constructor(private readonly columns: number) {}

  /** Shows what the program printed. */
  write(output: string) {
    const text = this.partial + output;
    this.partial = "";
    for (const { groups = {} } of text.matchAll(CODES)) {
      if (groups["code"]) this.run(groups["code"], Number(groups["first"]), groups["second"]);
      else if (groups["partial"]) this.partial = groups["partial"];
      else if (groups["move"]) this.move(groups["move"]);
      else if (groups["letter"]) this.print(groups["letter"]);
    }
  }

  /** Its lines, without the spaces at their ends. */
  lines(): string[] {
    return Array.from(this.rows, (row) =>
      Array.from(row ?? [], (letter) => letter ?? " ")
        .join("")
        .trimEnd(),
    );
  }

  private run(code: string, first: number, second = "") {
    const { cursor, rows } = this;
    if (code === "H") {
      cursor.row = Math.max(first, 1) - 1;
      cursor.column = Math.max(Number(second), 1) - 1;
    } else if (code === "A") cursor.row = Math.max(0, cursor.row - 1);
    else if (code === "C") cursor.column += 1;
    else if (code === "J" && first === 2) rows.length = 0;
    else {
      rows[cursor.row]?.splice(cursor.column);
      if (code === "J") rows.length = Math.min(rows.length, cursor.row + 1);
    }
  }

  private move(letter: string) {
    const { cursor } = this;
    if (letter === "\r") cursor.column = 0;
    else if (letter === "\n") cursor.row += 1;
    else if (letter === "\b") cursor.column = Math.max(0, cursor.column - 1);
  }

  private print(letter: string) {
    const { cursor } = this;
    if (cursor.column === this.columns) {
      cursor.column = 0;
      cursor.row += 1;
    }
    (this.rows[cursor.row] ??= [])[cursor.column] = letter;
    cursor.column += 1;
  }
}
