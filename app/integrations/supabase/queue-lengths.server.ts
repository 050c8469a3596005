import { z } from "zod";

import { callFunction } from "./call-function.server";
import { createServiceClient } from "./clients.server";
import { DataError } from "./data.server";

const queueLengths = z.object({
  /** The version of the newest migration; null where none is recorded. */
  migration: z.string().nullable(),
  queues: z.record(z.string(), z.number()),
});

/**
 * How many items wait in each queue, without anything about them. The call has the limit of every call
 * of the database.
 * @returns null when the database does not answer
 */
export async function readQueueLengths(): Promise<z.output<typeof queueLengths> | null> {
  try {
    return await callFunction(createServiceClient(), "queue_lengths", {}, queueLengths);
  } catch (error) {
    if (error instanceof DataError) return null;
    throw error;
  }
}
