import type { PgliteConnection } from "@supabase/lite/pglite";
import type { PostgresConnection } from "@supabase/lite/postgres";

export type Row = Record<string, unknown>;

/** Statements inside one transaction. */
export interface Statements {
  /** Runs one statement with `$1`-style parameters; gives its rows. */
  query(text: string, params?: readonly unknown[]): Promise<Row[]>;
  /** Runs a script of any number of statements. */
  script(text: string): Promise<void>;
}

/** What the stand-in needs of a database, whichever it runs on. All of it acts as superuser. */
export interface Engine extends Statements {
  readonly kind: "pglite" | "postgres";
  /** The connection the Supabase stand-in works through. */
  readonly connection: PgliteConnection | PostgresConnection;
  /** False when the engine has one session only, so that requests must not overlap. */
  readonly concurrent: boolean;
  transaction<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
