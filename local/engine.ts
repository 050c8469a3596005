import type { PgliteConnection } from "@supabase/lite/pglite";
import type { PostgresConnection } from "@supabase/lite/postgres";

export type Row = Record<string, unknown>;

/** Statements inside one transaction. */
export interface Statements {
  /** Runs one statement with `$1`-style parameters. Returns its rows. */
  query(text: string, params?: readonly unknown[]): Promise<Row[]>;
  /** Runs a script of any number of statements. */
  script(text: string): Promise<void>;
}

/** What the stand-in for Supabase needs from a database. All statements run as superuser. */
export interface Engine extends Statements {
  readonly kind: "pglite" | "postgres";
  /** The connection that the stand-in uses. */
  readonly connection: PgliteConnection | PostgresConnection;
  /** False when the engine has a single session, so that requests must not overlap. */
  readonly concurrent: boolean;
  transaction<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result>;
  /** Reads again what the data API reads from the database when it starts. */
  reloadConfig(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Type numbers of Postgres whose text form differs from what the hosted data API sends or takes.
 */
export const TYPE = {
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
  json: 114,
  jsonb: 3802,
} as const;

/**
 * A timestamp in the form of the hosted data API: Postgres prints `2026-11-20 16:13:55.123+00`, the
 * API sends `2026-11-20T16:13:55.123+00:00`. It keeps the microseconds, by which the app notices
 * that a row has changed.
 */
export function timestampAsJson(text: string): string {
  return text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00");
}

/** A numeric as a number, which the hosted data API sends in place of text. */
export function numericAsJson(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}
