import { z } from "zod";

const rowSchema = z.record(z.string(), z.unknown()).nullable();

/** Who did what to which row, with the row before and after. Contact details are withheld. */
export const auditEntrySchema = z.object({
  id: z.number(),
  at: z.string(),
  actor: z.string().nullable(),
  /** "anon", "authenticated", or "service_role"; "system" for migrations and maintenance. */
  actor_role: z.string(),
  actor_name: z.string().nullable(),
  /** Whether the actor's account exists. */
  known: z.boolean(),
  /** Whether the actor is an admin now. (Absent from a database of the previous release.) */
  by_admin: z.boolean().default(true),
  action: z.string(),
  subject: z.string(),
  subject_id: z.string(),
  /** Null when the subject was deleted, or has no name. */
  subject_name: z.string().nullable(),
  /** The names of the accounts whose ids are in the rows, of those that exist; "" without a name. */
  people: z.record(z.string(), z.string()),
  before: rowSchema,
  after: rowSchema,
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;
