import { PGlite } from "@electric-sql/pglite";
import { citext } from "@electric-sql/pglite/contrib/citext";
import { cube } from "@electric-sql/pglite/contrib/cube";
import { earthdistance } from "@electric-sql/pglite/contrib/earthdistance";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { unaccent } from "@electric-sql/pglite/contrib/unaccent";
import { createPgliteConnection, type PgliteConnection } from "@supabase/lite/pglite";

import {
  type Engine,
  numericAsJson,
  type Row,
  type Statements,
  timestampAsJson,
  TYPE,
} from "./engine";
import {
  type DataApiConfig,
  makeOpening,
  newDataApiConfig,
  readDataApiConfig,
} from "./joined-opening";

interface PgliteOptions {
  /** The folder of the database; left out, the database is in memory. */
  dataDir?: string;
  /** An archive from `dump` to start from. The folder must not exist then. */
  snapshot?: Blob;
}

export interface PgliteEngine extends Engine {
  /** The whole database as an archive. */
  dump(): Promise<Blob>;
}

/**
 * By default, Postgres prepares 128 MB for its buffers whenever it is opened, which took a quarter
 * of the opening time. Local data fit into less, and are in memory or in the system's cache of
 * files anyway.
 */
const BUFFERS = ["-c", "shared_buffers=16MB"];

/** Opens PGlite: Postgres compiled to WebAssembly, in this process. */
export async function openPglite(options: PgliteOptions): Promise<PgliteEngine> {
  const connection = await createPgliteConnection({
    ...(options.dataDir ? { url: options.dataDir } : {}),
    pgliteOptions: {
      startParams: [...PGlite.defaultStartParams, ...BUFFERS],
      extensions: { citext, cube, earthdistance, pg_trgm, unaccent },
      parsers: {
        [TYPE.timestamp]: timestampAsJson,
        [TYPE.timestamptz]: timestampAsJson,
        [TYPE.numeric]: numericAsJson,
      },
      ...(options.snapshot ? { loadDataDir: options.snapshot } : {}),
    },
  });
  const driver = connection.driver;
  await driver.waitReady;
  const config = newDataApiConfig();
  joinOpenings(driver, config);

  return {
    kind: "pglite",
    connection,
    concurrent: false,
    reloadConfig: () =>
      readDataApiConfig(config, async (text) => (await driver.query<Row>(text)).rows),
    async query(text, params = []) {
      return (await driver.query<Row>(text, [...params])).rows;
    },
    async script(text) {
      await driver.exec(text);
    },
    async transaction(work) {
      return driver.transaction(async (transaction) => {
        const statements: Statements = {
          async query(text, params = []) {
            return (await transaction.query<Row>(text, [...params])).rows;
          },
          async script(text) {
            await transaction.exec(text);
          },
        };
        return work(statements);
      });
    },
    async dump() {
      return driver.dumpDataDir("none");
    },
    async close() {
      await connection.close();
    },
  };
}

const NOTHING = { rows: [], fields: [], affectedRows: 0 };

/** Sends the opening of a transaction in one call. Transactions on PGlite never overlap. */
function joinOpenings(driver: PgliteConnection["driver"], config: DataApiConfig): void {
  const query = driver.query.bind(driver);
  const opening = makeOpening(config);
  driver.query = async (text, params, options) => {
    if (opening.add(text, params)) return NOTHING;
    const first = opening.take();
    if (first) await driver.exec(first);
    if (!/^(commit|rollback)$/i.test(text)) return query(text, params, options);
    // One call into WebAssembly in place of six.
    await driver.exec(text);
    return NOTHING;
  };
}
