/** Why the database refuses what a caller asked for, by the code that it raises. */
export const EXPORT_REFUSALS = {
  export_unknown: "Choose what to download.",
} as const satisfies Readonly<Record<string, string>>;
