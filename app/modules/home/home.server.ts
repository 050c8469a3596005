import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import type { Need } from "./rules";

/** What somebody's home page begins with. */
export interface Home {
  /** They own at least one Featured listing. */
  supporter: boolean;
  /** The most pressing first; empty when nothing waits for them. */
  needs: Need[];
}

/** One call. Throws DataError. */
export async function homeOf(db: Db): Promise<Home> {
  return unwrap(await db.rpc("my_home")) as unknown as Home;
}
