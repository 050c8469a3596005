import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

import { stringify } from "csv-stringify";

import { liftDeadline } from "~/integrations/upstream/request-scope.server";

import { waitUntilDrained } from "./backpressure.server";

/** Rows that are all there already, for a short table. */
export async function* inOneBatch<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}

/**
 * After this many rows, other requests get a turn, since some rows take long to put into words
 * (`npm run bench:main-thread`).
 */
const ROWS_OF_A_TURN = 20;

type Cell = string | number | boolean | null | undefined;

/** One column of a download. */
export interface CsvColumn<Row> {
  header: string;
  cell: (row: Row) => Cell;
}

/**
 * A table as a download (RFC 4180, UTF-8). It is streamed, and its rows are read no faster than the
 * client receives them, so that a long table needs no more memory than a short one. An apostrophe
 * turns what a spreadsheet would run as a formula into text.
 * @param request the download's request; reading stops when it is aborted
 * @param name the file's name, without its extension
 * @param batches the rows. The first batch is awaited, so that a table that can't be read fails
 *   before anything is sent. A later failure aborts the download: half a table never looks
 *   complete.
 */
export async function csvDownload<Row>(
  request: Request,
  name: string,
  columns: readonly CsvColumn<Row>[],
  batches: AsyncIterable<readonly Row[]>,
): Promise<Response> {
  const reading = batches[Symbol.asyncIterator]();
  let batch = await reading.next();
  // From now on the download takes as long as its client takes to receive it.
  liftDeadline();

  async function* lines() {
    try {
      yield columns.map(({ header }) => header);
      for (; !batch.done && !request.signal.aborted; batch = await reading.next()) {
        for (const [index, row] of batch.value.entries()) {
          if (index % ROWS_OF_A_TURN === 0) await nextTurn();
          yield columns.map(({ cell }) => formatCell(cell(row)));
        }
        await waitUntilDrained(request);
      }
    } finally {
      // An aborted download stops the reading, too.
      await reading.return?.();
    }
  }

  const source = Readable.from(lines());
  // By itself the package quotes only cells that contain the record delimiter, not all line ends.
  const csv = stringify({
    bom: true,
    record_delimiter: "windows",
    quoted_match: /[\r\n]/,
  });
  source.on("error", (error) => csv.destroy(error));
  csv.on("close", () => source.destroy());
  return new Response(Readable.toWeb(source.pipe(csv)) as ReadableStream, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      // no-transform, because a compressor would buffer the stream and hide how much the client has
      // received.
      "Cache-Control": "no-store, no-transform",
    },
  });
}

function formatCell(cell: Cell): string {
  if (typeof cell === "boolean") return cell ? "Yes" : "No";
  if (typeof cell === "number") return String(cell);
  return neutralizeFormula(cell ?? "");
}

/**
 * What may begin a formula: = + - @, also in full width, after any characters that a spreadsheet
 * may drop (spaces, line feeds, control characters, and such as the zero-width space).
 */
const FORMULA = /^[\s\p{C}\p{Z}]*[=+\-@\uFE62\uFE63\uFE66\uFE6B＝＋－＠−]/u;
/** Some spreadsheets split or run a cell that begins with one of these. */
const CONTROL = /^\p{Cc}/u;
/**
 * What may begin a formula after a character at which some spreadsheets begin another cell. In many countries they
 * separate cells by semicolons: then the commas and quotation marks of the file mean nothing to them, and a line break
 * within a text ends the row. (The sign is optional, so that a long gap without one is read once.)
 */
const AFTER_SEPARATOR =
  /([;\t\r\n\v\f\u0085\u2028\u2029][\s\p{C}\p{Z}"]*)([=+\-@\uFE62\uFE63\uFE66\uFE6B＝＋－＠−]?)/gu;

function neutralizeFormula(text: string): string {
  const inert = text.replace(AFTER_SEPARATOR, (_, gap: string, sign: string) =>
    sign ? `${gap}'${sign}` : gap,
  );
  return FORMULA.test(text) || CONTROL.test(text) ? `'${inert}` : inert;
}
