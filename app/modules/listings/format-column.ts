import { formatCode, formatValue } from "~/text/values";

interface Category {
  id: number;
  name: string;
}

/** A column's value for reading, with categories by their names. */
export function formatColumn(
  column: string,
  value: unknown,
  {
    categories,
    onlineCategories,
  }: Readonly<Record<"categories" | "onlineCategories", readonly Category[]>>,
): string {
  const names = (choices: readonly Category[]) =>
    [value].flat().map((id) => choices.find((one) => String(one.id) === String(id))?.name ?? id);
  if (column === "subscription_status") return formatCode(formatValue(value));
  if (column === "category") return formatValue(names(categories));
  return formatValue(column === "online_categories" && value ? names(onlineCategories) : value);
}
