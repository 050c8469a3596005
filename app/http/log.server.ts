import pino from "pino";

import { env } from "~/env.server";
import { currentScope } from "~/integrations/upstream/request-scope.server";

import { logDestination } from "./log-output.server";

export type Log = pino.Logger;

let root: Log | undefined;

const SECRET_NAMES = [
  ...[
    "email",
    "phone",
    "password",
    "confirm_password",
    "csrf",
    "apikey",
    "authorization",
    "cookie",
    "set-cookie",
  ],
  ...[
    "token",
    "token_hash",
    "tokenHash",
    "access_token",
    "accessToken",
    "refresh_token",
    "refreshToken",
  ],
];

/** Creates a log that writes to the destination, or to standard output. */
export function createLog(destination = logDestination()): Log {
  const options: pino.LoggerOptions = {
    level: env().logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // The request that a line is about, unless the line names it itself.
    mixin: () => {
      const id = currentScope()?.id;
      return id ? { requestId: id } : {};
    },
    redact: {
      paths: SECRET_NAMES.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: "[redacted]",
    },
  };
  return pino(options, destination);
}

/**
 * The process's structured log, one JSON object per line. Callers log names, counts, ids, and kinds
 * of failures. The redaction is a safety net, for objects that contain a secret or contact details.
 */
export function log(): Log {
  root ??= createLog();
  return root;
}

const SECRET_SHAPES: [RegExp, string][] = [
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g, "[token]"],
  [/\b(?:sb_(?:secret|publishable)_|sk_|pk_|rk_|whsec_)[\w-]+/g, "[key]"],
  [
    /\b((?:\w{1,20}_)?(?:token(?:_hash)?|password|apikey|authorization|cookie)["']?\s?[:=]\s?["']?)(?:Bearer )?[^\s"'&,;}]+/gi,
    "$1[secret]",
  ],
  [/[^\s@"<>()]{1,64}(?:@|%40)[^\s@"'<>()/]{1,255}\.[^\s@"'<>()/:]+/g, "[email]"],
  [/\+?\d[\d\s().-]{7,30}\d/g, "[number]"],
];

/**
 * A text without what must not be logged: tokens, keys, passwords, email addresses, phone numbers.
 */
export function redactSecrets(text: string): string {
  return SECRET_SHAPES.reduce((result, [shape, name]) => result.replace(shape, name), text);
}
