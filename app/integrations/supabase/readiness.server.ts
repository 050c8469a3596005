import { createUserClient } from "./clients.server";

/** Whether the database answers a small public read, within the deadline of every Supabase call. */
export async function isDatabaseReady(): Promise<boolean> {
  const { error } = await createUserClient(null).from("categories").select("id").limit(1);
  return !error;
}
