import { ApiError, parameterMissing, unknownParameters } from "./api-error";

/** A value of a form body once its brackets are parsed: all leaves are text. */
export type Raw = string | Raw[] | { [name: string]: Raw };

/**
 * How the text of a parameter is parsed. `parse` throws an ApiError, as Stripe does, when it is
 * invalid.
 */
export interface Parameter<T> {
  parse(raw: Raw, name: string): T;
  required?: true;
  /** What a single value is, for the comparison with the SDK's types. */
  kind?: "boolean" | "number" | "text";
  /** The values that it takes, when it takes no others. */
  values?: readonly string[];
  /** The parameters within it, when it is an object. */
  fields?: Parameters;
  /** What its items are, when it is a list. */
  item?: Parameter<unknown>;
}

export type Parameters = Record<string, Parameter<unknown>>;

/** The values of a set of parameters. */
export type Parsed<P extends Parameters> = {
  [Name in keyof P]: P[Name] extends Parameter<infer T>
    ? P[Name] extends { required: true }
      ? T
      : T | undefined
    : never;
};

/**
 * Some of the parameters that the SDK's type `P` has: `satisfies Known<…>` refuses any other name.
 */
export type Known<P> = Partial<Record<keyof P, Parameter<unknown>>>;

/** The error of a value that Stripe does not take. */
export function invalid(message: string, param: string, code?: string): ApiError {
  return new ApiError(message, { param, ...(code ? { code } : {}) });
}

/** @throws ApiError when the value is not text, or empty */
function nonEmptyText(raw: Raw, name: string): string {
  if (typeof raw !== "string") throw invalid("Invalid string", name);
  if (raw === "") {
    throw invalid(
      `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; however ` +
        `'${name}' cannot be unset. You should remove '${name}' from your request or supply a non-empty value.`,
      name,
      "parameter_invalid_empty",
    );
  }
  return raw;
}

/** Text up to a length; Stripe's usual limit is 5,000 characters. */
export function text(max = 5000): Parameter<string> {
  return {
    kind: "text",
    parse(raw, name) {
      const value = nonEmptyText(raw, name);
      if (value.length <= max) return value;
      throw invalid(
        `Invalid string: ${value.slice(0, 20)}…; must be at most ${max} characters`,
        name,
      );
    },
  };
}

export function integer({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Parameter<number> {
  return {
    kind: "number",
    parse(raw, name) {
      const value = nonEmptyText(raw, name);
      const code = "parameter_invalid_integer";
      if (!/^-?\d{1,16}$/.test(value)) throw invalid(`Invalid integer: ${value}`, name, code);
      const number = Number(value);
      if (number < min)
        throw invalid(`This value must be greater than or equal to ${min}.`, name, code);
      if (number > max)
        throw invalid(`This value must be less than or equal to ${max}.`, name, code);
      return number;
    },
  };
}

/** An amount in cents, of at most eight digits. */
export const amount = integer({ max: 99_999_999 });

/** The only currency here. */
export const currency = oneOf("usd");

export const percentage: Parameter<number> = {
  kind: "number",
  parse(raw, name) {
    const value = Number(nonEmptyText(raw, name));
    if (value > 0 && value <= 100) return value;
    throw invalid(`Invalid ${name}: must be greater than 0 and at most 100`, name);
  },
};

/** Whole seconds since 1970. */
export const timestamp: Parameter<number> = {
  kind: "number",
  parse(raw, name) {
    const value = nonEmptyText(raw, name);
    if (/^\d{1,11}$/.test(value)) return Number(value);
    throw invalid(
      "Invalid timestamp: must be an integer Unix timestamp",
      name,
      "parameter_invalid_integer",
    );
  },
};

export const boolean: Parameter<boolean> = {
  kind: "boolean",
  parse(raw, name) {
    const value = nonEmptyText(raw, name);
    if (value === "true" || value === "false") return value === "true";
    throw invalid(`Invalid boolean: ${value}`, name);
  },
};

export function oneOf<const V extends string>(...values: V[]): Parameter<V> {
  return {
    kind: "text",
    values,
    parse(raw, name) {
      const value = nonEmptyText(raw, name);
      if ((values as string[]).includes(value)) return value as V;
      const last = values.length > 1 ? `, or ${values.at(-1)}` : "";
      const first = values.length > 1 ? values.slice(0, -1) : values;
      throw invalid(`Invalid ${name}: must be one of ${first.join(", ")}${last}`, name);
    },
  };
}

export const email: Parameter<string> = {
  kind: "text",
  parse(raw, name) {
    const value = nonEmptyText(raw, name);
    if (value.length <= 512 && /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(value)) return value;
    throw invalid(`Invalid email address: ${value}`, name, "email_invalid");
  },
};

/** An absolute URL. It may contain a placeholder such as `{CHECKOUT_SESSION_ID}`. */
export const url: Parameter<string> = {
  kind: "text",
  parse(raw, name) {
    const value = nonEmptyText(raw, name);
    if (/^https?:\/\//i.test(value) && value.length <= 5000 && URL.canParse(value)) return value;
    throw invalid("Not a valid URL", name, "url_invalid");
  },
};

export function list<T>(item: Parameter<T>, { max = 100 } = {}): Parameter<T[]> {
  return {
    item,
    parse(raw, name) {
      if (raw === "") return [];
      if (!Array.isArray(raw)) throw invalid("Invalid array", name);
      if (raw.length > max)
        throw invalid(`Array ${name} exceeded maximum ${max} allowed elements.`, name);
      return raw.map((value, index) => item.parse(value, `${name}[${index}]`));
    },
  };
}

/** An object with these parameters and no others. */
export function object<P extends Parameters>(parameters: P): Parameter<Parsed<P>> {
  return {
    fields: parameters,
    parse(raw, name) {
      if (typeof raw !== "object" || Array.isArray(raw)) throw invalid("Invalid object", name);
      return parseParameters(parameters, raw, name);
    },
  };
}

/** Parses a whole request, or the object named `parent` within one. */
export function parseParameters<P extends Parameters>(
  parameters: P,
  raw: { [name: string]: Raw },
  parent?: string,
): Parsed<P> {
  const fullName = (name: string): string => (parent === undefined ? name : `${parent}[${name}]`);
  const unknown = Object.keys(raw).filter((name) => !Object.hasOwn(parameters, name));
  if (unknown.length > 0) throw unknownParameters(unknown.map(fullName));
  const entries = Object.entries(parameters).map(([name, parameter]) => {
    const value = Object.hasOwn(raw, name) ? raw[name] : undefined;
    if (value === undefined && parameter.required) throw parameterMissing(fullName(name));
    return [name, value === undefined ? undefined : parameter.parse(value, fullName(name))];
  });
  return Object.fromEntries(entries) as Parsed<P>;
}

/** A parameter that an empty text unsets: null. */
export function emptyable<T>(parameter: Parameter<T>): Parameter<T | null> {
  return {
    ...parameter,
    parse: (raw, name) => (raw === "" ? null : parameter.parse(raw, name)),
  };
}

export function required<T>(parameter: Parameter<T>): Parameter<T> & { required: true } {
  return { ...parameter, required: true };
}
