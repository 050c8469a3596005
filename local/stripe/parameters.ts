import { beyondStandIn, missing, Refusal, unknownParameters } from "./refusal";

/** A form body as it is once its brackets are read: everything is text. */
export type Raw = string | Raw[] | { [name: string]: Raw };

/** What a parameter may be: reads its text, or refuses it as Stripe does. */
export interface Kind<T> {
  read(raw: Raw, param: string): T;
  required?: true;
}

export type Fields = Record<string, Kind<unknown>>;

/** The values of a set of parameters once they are read. */
export type Given<F extends Fields> = {
  [K in keyof F]: F[K] extends Kind<infer T>
    ? F[K] extends { required: true }
      ? T
      : T | undefined
    : never;
};

/**
 * Every parameter that the SDK's types know for a request. A set that `satisfies` it leaves none out, so
 * what is refused as unknown here is unknown to Stripe, too.
 */
export type Every<P> = Record<Exclude<keyof P, "expand">, Kind<unknown>>;

function invalid(message: string, param: string, code?: string): Refusal {
  return new Refusal(message, { param, ...(code ? { code } : {}) });
}

function textOf(raw: Raw, param: string): string {
  if (typeof raw !== "string") throw invalid("Invalid string", param);
  if (raw === "") {
    throw invalid(
      `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however ` +
        `'${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`,
      param,
      "parameter_invalid_empty",
    );
  }
  return raw;
}

/** Text of at most so many characters; Stripe's usual limit is 5,000. */
export function text(max = 5000): Kind<string> {
  return {
    read(raw, param) {
      const value = textOf(raw, param);
      if (value.length <= max) return value;
      throw invalid(
        `Invalid string: ${value.slice(0, 20)}…; must be at most ${max} characters`,
        param,
      );
    },
  };
}

/** What stands on a card statement behind the account's short descriptor. */
export const statementSuffix: Kind<string> = {
  read(raw, param) {
    const value = text(22).read(raw, param);
    if (/[A-Za-z]/.test(value) && !/[<>\\'"*]/.test(value)) return value;
    throw invalid(
      "The statement descriptor suffix must contain at least one letter, and none of < > \\ ' \" *.",
      param,
    );
  },
};

export function whole({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Kind<number> {
  return {
    read(raw, param) {
      const value = textOf(raw, param);
      if (!/^-?\d{1,16}$/.test(value))
        throw invalid(`Invalid integer: ${value}`, param, "parameter_invalid_integer");
      const number = Number(value);
      if (number < min)
        throw invalid(
          `This value must be greater than or equal to ${min}.`,
          param,
          "parameter_invalid_integer",
        );
      if (number > max)
        throw invalid(
          `This value must be less than or equal to ${max}.`,
          param,
          "parameter_invalid_integer",
        );
      return number;
    },
  };
}

/** An amount in the currency's smallest unit, of at most eight digits. */
export const amount = whole({ max: 99_999_999 });

export const percentage: Kind<number> = {
  read(raw, param) {
    const value = Number(textOf(raw, param));
    if (value > 0 && value <= 100) return value;
    throw invalid(`Invalid ${param}: must be greater than 0 and at most 100`, param);
  },
};

/** A point in time, in whole seconds since 1970. */
export const moment: Kind<number> = {
  read(raw, param) {
    const value = textOf(raw, param);
    if (/^\d{1,11}$/.test(value)) return Number(value);
    throw invalid(
      "Invalid timestamp: must be an integer Unix timestamp",
      param,
      "parameter_invalid_integer",
    );
  },
};

export const flag: Kind<boolean> = {
  read(raw, param) {
    const value = textOf(raw, param);
    if (value === "true" || value === "false") return value === "true";
    throw invalid(`Invalid boolean: ${value}`, param);
  },
};

export function oneOf<const V extends string>(...values: V[]): Kind<V> {
  return {
    read(raw, param) {
      const value = textOf(raw, param);
      if ((values as string[]).includes(value)) return value as V;
      const last = values.length > 1 ? `, or ${values.at(-1)}` : "";
      const first = values.length > 1 ? values.slice(0, -1) : values;
      throw invalid(`Invalid ${param}: must be one of ${first.join(", ")}${last}`, param);
    },
  };
}

export const currency: Kind<string> = {
  read(raw, param) {
    const value = textOf(raw, param).toLowerCase();
    if (value === "usd") return value;
    if (/^[a-z]{3}$/.test(value)) throw beyondStandIn(`the currency ${value}`, param);
    throw invalid(`Invalid currency: ${value}.`, param);
  },
};

export const email: Kind<string> = {
  read(raw, param) {
    const value = textOf(raw, param);
    if (value.length <= 512 && /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(value)) return value;
    throw invalid(`Invalid email address: ${value}`, param, "email_invalid");
  },
};

/** An absolute web address. Words in braces such as `{CHECKOUT_SESSION_ID}` may stand in it. */
export const webAddress: Kind<string> = {
  read(raw, param) {
    const value = textOf(raw, param);
    if (/^https?:\/\//i.test(value) && value.length <= 5000 && URL.canParse(value)) return value;
    throw invalid("Not a valid URL", param, "url_invalid");
  },
};

export function list<T>(kind: Kind<T>, { max = 100 } = {}): Kind<T[]> {
  return {
    read(raw, param) {
      if (raw === "") return [];
      const values = Array.isArray(raw) ? raw : numbered(raw);
      if (!values) throw invalid("Invalid array", param);
      if (values.length > max)
        throw invalid(`Array ${param} exceeded maximum ${max} allowed elements.`, param);
      return values.map((value, index) => kind.read(value, `${param}[${index}]`));
    },
  };
}

/** `a[0]=…&a[1]=…` beyond what is read as a list arrives as an object with numbers for names. */
function numbered(raw: Raw): Raw[] | undefined {
  if (typeof raw !== "object" || Array.isArray(raw)) return undefined;
  const names = Object.keys(raw);
  return names.every((name) => /^\d+$/.test(name)) ? names.map((name) => raw[name]!) : undefined;
}

/** An object with these fields and no others. */
export function object<F extends Fields>(fields: F): Kind<Given<F>> {
  return {
    read(raw, param) {
      if (typeof raw !== "object" || Array.isArray(raw)) throw invalid("Invalid object", param);
      return readFields(fields, raw, param);
    },
  };
}

/** Reads a whole request, or the object that `parent` names. */
export function readFields<F extends Fields>(
  fields: F,
  raw: { [name: string]: Raw },
  parent?: string,
): Given<F> {
  const paramOf = (name: string): string => (parent === undefined ? name : `${parent}[${name}]`);
  const unknown = Object.keys(raw).filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length > 0) throw unknownParameters(unknown.map(paramOf));
  const entries = Object.entries(fields).map(([name, kind]) => {
    const value = Object.hasOwn(raw, name) ? raw[name] : undefined;
    if (value === undefined && kind.required) throw missing(paramOf(name));
    return [name, value === undefined ? undefined : kind.read(value, paramOf(name))];
  });
  return Object.fromEntries(entries) as Given<F>;
}

export function required<T>(kind: Kind<T>): Kind<T> & { required: true } {
  return { ...kind, required: true };
}

/** An empty value unsets it, which is read as null. */
export function unsettable<T>(kind: Kind<T>): Kind<T | null> {
  return { read: (raw, param) => (raw === "" ? null : kind.read(raw, param)) };
}

const MOST_KEYS = 50;
const LONGEST_KEY = 40;
const LONGEST_VALUE = 500;

/** Up to 50 pairs. An empty value removes its key, an empty whole removes all. */
export const metadata: Kind<Record<string, string> | null> = {
  read(raw, param) {
    if (raw === "") return null;
    if (typeof raw !== "object" || Array.isArray(raw))
      throw invalid("Invalid hash", param, "parameter_invalid_type");
    const pairs = Object.entries(raw);
    if (pairs.length > MOST_KEYS)
      throw invalid(`You cannot have more than ${MOST_KEYS} metadata keys.`, param);
    for (const [key, value] of pairs) {
      const at = `${param}[${key}]`;
      if (typeof value !== "string") throw invalid("Metadata values must be strings.", at);
      if (key.length > LONGEST_KEY) {
        throw invalid(
          `Metadata keys can have up to ${LONGEST_KEY} characters; '${key}' has ${key.length}.`,
          at,
        );
      }
      if (value.length > LONGEST_VALUE) {
        throw invalid(
          `Metadata values can have up to ${LONGEST_VALUE} characters, but you passed in a value that is ${value.length} ` +
            `characters. Invalid value: ${value.slice(0, 20)}…`,
          at,
        );
      }
    }
    return raw as Record<string, string>;
  },
};

/** The metadata after an update, as Stripe merges it. */
export function mergeMetadata(
  old: Record<string, string> | null,
  given: Record<string, string> | null | undefined,
): Record<string, string> {
  if (given === null) return {};
  return Object.fromEntries(
    Object.entries({ ...old, ...given }).filter(([, value]) => value !== ""),
  );
}

/** A moment, or a range of them: `created[gte]=…`. */
export const range: Kind<(seconds: number) => boolean> = {
  read(raw, param) {
    if (typeof raw === "string") {
      const exactly = moment.read(raw, param);
      return (seconds) => seconds === exactly;
    }
    const { gt, gte, lt, lte } = object({ gt: moment, gte: moment, lt: moment, lte: moment }).read(
      raw,
      param,
    );
    return (seconds) =>
      !(gt !== undefined && seconds <= gt) &&
      !(gte !== undefined && seconds < gte) &&
      !(lt !== undefined && seconds >= lt) &&
      !(lte !== undefined && seconds > lte);
  },
};

/** Taken as it is and given no effect, because none could be seen here. */
export const withoutEffect: Kind<Raw> = { read: (raw) => raw };

/** Parameters that Stripe has and the stand-in has not. */
export function notHere<const N extends string>(...names: N[]): Record<N, Kind<undefined>> {
  const kind: Kind<undefined> = {
    read(_raw, param) {
      throw beyondStandIn(`'${param}'`, param);
    },
  };
  return Object.fromEntries(names.map((name) => [name, kind])) as Record<N, Kind<undefined>>;
}

/** The parameters of every list. */
export const paging = {
  limit: whole({ min: 1, max: 100 }),
  starting_after: text(),
  ending_before: text(),
};

/** What was given, without what was not. */
export function defined<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as never;
}
