import type { Engine } from "../../local/engine";
import { openPglite } from "../../local/engine-pglite";
import { projectFolder } from "../../local/project-folder";
import { makeSnapshot } from "../../local/snapshot";

import { type CatalogObject, readCatalog } from "./catalog";

/**
 * The catalog of a new database, made in one of two ways: by all migrations, as a deployed project
 * gets it, or by the files of supabase/schemas, as tests and new local data get it.
 */
export async function catalogOf(way: "migrations" | "schemas"): Promise<CatalogObject[]> {
  const engine = await openSchema(way);
  try {
    return await readCatalog(engine);
  } finally {
    await engine.close();
  }
}

/** Opens a new database that is made in one of the two ways. */
export async function openSchema(way: "migrations" | "schemas"): Promise<Engine> {
  return openPglite({ snapshot: await makeSnapshot(projectFolder, way) });
}
