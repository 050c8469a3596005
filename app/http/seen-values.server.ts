import { z } from "zod";

import { readField } from "./form.server";

type Values = Readonly<Record<string, string | string[]>>;

const seenValues = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/**
 * What the fields were when the form was rendered; null for a form that doesn't say so in valid
 * JSON.
 */
function readSeenValues(form: FormData): z.output<typeof seenValues> | null {
  try {
    return seenValues.parse(JSON.parse(readField(form, "seen")));
  } catch {
    return null;
  }
}

const toList = (value: string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value : [value ?? ""]).filter((one) => one !== "");

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, index) => one === b[index]);

/**
 * The form, with the value that is saved now in each field that is as it was when the form was
 * rendered. Someone may have changed the saved value since, in another tab or on another device,
 * and a form in which the field wasn't touched must not undo that. In a list of boxes, this applies
 * to each box. A form from a release whose forms didn't say what they were rendered with stays as
 * it is.
 * @param form with `seen` (SeenValues)
 * @param saved the values as the form would show them now
 * @param together fields that mean nothing without each other: when one was touched, all were
 */
export function updateUntouched(
  form: FormData,
  saved: Values,
  together: readonly string[] = [],
): FormData {
  const seen = readSeenValues(form);
  if (!seen) return form;
  const updated = new FormData();
  for (const [name, value] of form) updated.append(name, value);
  const nowSeen: Record<string, string | string[]> = { ...seen };
  const replace = (name: string, values: readonly string[]) => {
    // In its place: errors are in the order of the fields.
    updated.set(name, values[0] ?? "");
    for (const value of values.slice(1)) updated.append(name, value);
  };
  const sentOf = (name: string) =>
    toList(form.getAll(name).filter((one) => typeof one === "string"));
  const isTouched = (name: string) => !isSame(sentOf(name), toList(seen[name]));

  for (const [name, now] of Object.entries(saved)) {
    const before = seen[name];
    if (before === undefined) continue;
    if (Array.isArray(now)) {
      const [sent, were] = [sentOf(name), toList(before)];
      const all = [...new Set([...now, ...sent, ...were])];
      const isBoxTouched = (box: string) => sent.includes(box) !== were.includes(box);
      replace(
        name,
        all.filter((box) => (isBoxTouched(box) ? sent : now).includes(box)),
      );
      nowSeen[name] = all.filter((box) => (isBoxTouched(box) ? were : now).includes(box));
    } else if (!(together.includes(name) ? together.some(isTouched) : isTouched(name))) {
      replace(name, toList(now));
      nowSeen[name] = now;
    }
  }
  // If the form is rejected, its page shows these values, and the untouched ones count as untouched
  // again.
  updated.set("seen", JSON.stringify(nowSeen));
  return updated;
}

/**
 * A form that is shown again although these of its fields were saved: from now on, they count as
 * untouched.
 */
export function markAsSeen(form: FormData, names: readonly string[]): FormData {
  const seen = readSeenValues(form);
  if (!seen) return form;
  const sent = Object.fromEntries(names.map((name) => [name, readField(form, name)]));
  const marked = new FormData();
  for (const [name, value] of form) marked.append(name, value);
  marked.set("seen", JSON.stringify({ ...seen, ...sent }));
  return marked;
}
