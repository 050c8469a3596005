import { unwrap } from "~/integrations/supabase/data.server";

const PAGE_ROWS = 500;

interface Page<Row> {
  data: Row[] | null;
  error: { message: string; code?: string; details?: string | null } | null;
  status: number;
}

/**
 * Reads a table to its end, a page at a time: the data API answers with 1,000 rows at most.
 * @param readPage reads the rows from one position to another, both included, in an order that stays
 * @throws DataError
 */
export async function readAllRows<Row>(
  readPage: (from: number, to: number) => PromiseLike<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = unwrap<Row[] | null>(await readPage(rows.length, rows.length + PAGE_ROWS - 1));
    rows.push(...page);
    if (page.length < PAGE_ROWS) return rows;
  }
}
