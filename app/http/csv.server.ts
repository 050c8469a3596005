import { Readable } from "node:stream";

import { stringify } from "csv-stringify";

import { waitUntilDrained } from "./backpressure.server";

type Cell = string | number | boolean | null | undefined;

/** One column of a download: its head, and what stands below it. */
export interface CsvColumn<Row> {
  header: string;
  cell: (row: Row) => Cell;
}

/**
 * A table as a download (RFC 4180, UTF-8), sent while it is read, and read no faster than it is taken, so that its
 * length costs no memory. What a spreadsheet would run as a formula is made text by an apostrophe before it.
 * @param request that asks for it: when whoever sent it is gone, the reading ends
 * @param name of the file, without its ending
 * @param batches the rows, as many at a time as are read at a time; the first is awaited, so that a table that cannot
 *   be read fails before anything was sent. A later failure breaks the download off: half a table never looks whole.
 */
export async function csvDownload<Row>(
  request: Request,
  name: string,
  columns: readonly CsvColumn<Row>[],
  batches: AsyncIterable<readonly Row[]>,
): Promise<Response> {
  const reading = batches[Symbol.asyncIterator]();
  let batch = await reading.next();

  async function* lines() {
    try {
      yield columns.map(({ header }) => header);
      for (; !batch.done && !request.signal.aborted; batch = await reading.next()) {
        for (const row of batch.value) yield columns.map(({ cell }) => words(cell(row)));
        await waitUntilDrained(request);
      }
    } finally {
      // Whoever stops listening stops the reading, too.
      await reading.return?.();
    }
  }

  const source = Readable.from(lines());
  // Of line ends the package quotes only the one between records.
  const csv = stringify({
    bom: true,
    escape_formulas: true,
    record_delimiter: "windows",
    quoted_match: /[\r\n]/,
  });
  source.on("error", (error) => csv.destroy(error));
  csv.on("close", () => source.destroy());
  return new Response(Readable.toWeb(source.pipe(csv)) as ReadableStream, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      // Not compressed on the way: a compressor takes all it is given, and hides how much still waits.
      "Cache-Control": "no-store, no-transform",
    },
  });
}

function words(cell: Cell): string {
  if (typeof cell === "boolean") return cell ? "Yes" : "No";
  return cell === null || cell === undefined ? "" : String(cell);
}
