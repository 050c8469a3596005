import type { Engine } from "../../local/engine";
import { openPglite } from "../../local/engine-pglite";
import { projectFolder } from "../../local/project-folder";
import { makeDatabase, migratedSnapshot } from "../../local/snapshot";

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
  if (way === "migrations") return makeDatabase(projectFolder, "migrations");
  // The one of tests and new local data is kept as an archive.
  return openPglite({ snapshot: await migratedSnapshot(projectFolder) });
}
