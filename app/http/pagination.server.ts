import { z } from "zod";

/** The schema of a Page of rows, as the database function `keyset_page` returns it. */
export const pageSchema = <Row extends z.ZodType>(row: Row) =>
  z.object({
    rows: z.array(row),
    before: z.string().nullable(),
    after: z.string().nullable(),
  });
