import pino from "pino";

import { env } from "~/env.server";

export type Log = pino.Logger;

let root: Log | undefined;

/**
 * The process's structured log (one JSON object a line). Callers log names, counts, ids and kinds of
 * failure; `redact` is the net below that, for objects that carry a secret or somebody's contact.
 */
export function log(): Log {
  root ??= pino({
    level: env().logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ["email", "phone", "password", "token", "access_token", "refresh_token", "cookie", "authorization"].flatMap(
        (name) => [name, `*.${name}`, `*.*.${name}`],
      ),
      censor: "[redacted]",
    },
  });
  return root;
}

const SECRET_SHAPES: [RegExp, string][] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, "[token]"],
  [/\b(?:sb_(?:secret|publishable)_|sk_|pk_|rk_|whsec_)[\w-]+/g, "[key]"],
  [/[^\s@"'<>()=/]+@[^\s@"'<>()/]+\.[^\s@"'<>()/:]+/g, "[e-mail]"],
  [/\+?\d[\d\s().-]{7,}\d/g, "[number]"],
];

/** An error's text without what must not be logged: tokens, keys, e-mail addresses, phone numbers. */
export function withoutSecrets(text: string): string {
  return SECRET_SHAPES.reduce((result, [shape, name]) => result.replace(shape, name), text);
}
