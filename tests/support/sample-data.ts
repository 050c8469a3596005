import { z } from "zod";

interface JsonSchema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minItems?: number;
}

/** It is still to come: emails leave out newsletters that have gone out. */
const MOMENT = new Date(Date.now() + 30 * 86_400_000).toISOString();

const BY_FORMAT: Record<string, string> = {
  date: MOMENT.slice(0, 10),
  "date-time": MOMENT,
  uuid: "5eed0000-0000-4000-9000-00000000000a",
};

/** Values of every shape that a part of a schema accepts: each option, each type, given and left out. */
function valuesOf(schema: JsonSchema, texts: readonly string[]): unknown[] {
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum) return schema.enum;
  if (schema.anyOf) return schema.anyOf.flatMap((one) => valuesOf(one, texts));
  if (Array.isArray(schema.type))
    return schema.type.flatMap((type) => valuesOf({ ...schema, type }, texts));
  switch (schema.type) {
    case "null":
      return [null];
    case "boolean":
      return [true, false];
    case "integer":
    case "number":
      return [0, 1, 2_500];
    case "string":
      return schema.format ? [BY_FORMAT[schema.format]] : [...texts];
    case "array": {
      const [item] = valuesOf(schema.items!, texts);
      return schema.minItems ? [[item]] : [[], [item, item]];
    }
    case "object":
      return objectsOf(schema, texts);
    default:
      throw new Error(`No sample of ${JSON.stringify(schema)}`);
  }
}

/** The most objects of one schema. Beyond that, one property is varied at a time, from two of them. */
const MOST = 500;

function objectsOf({ properties = {}, required = [] }: JsonSchema, texts: readonly string[]) {
  const options = Object.entries(properties).map(([name, schema]) => {
    const values = valuesOf(schema, texts).map((value) => ({ [name]: value }));
    return required.includes(name) ? values : [...values, {}];
  });
  const count = options.reduce((product, { length }) => product * length, 1);
  const merge = (parts: object[]): object => Object.assign({}, ...parts) as object;
  if (count > MOST)
    return [0, -1].flatMap((others) =>
      options.flatMap((varied) =>
        varied.map((value) =>
          merge(options.map((one) => (one === varied ? value : one.at(others)!))),
        ),
      ),
    );
  return options.reduce<object[]>(
    (objects, values) => objects.flatMap((one) => values.map((value) => merge([one, value]))),
    [{}],
  );
}

/**
 * Data that a schema accepts, of every shape: with and without what is optional, with each option, and with each of
 * these texts where it takes any.
 */
export function samplesOf(schema: z.ZodType, texts: readonly string[]): unknown[] {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return valuesOf(json as JsonSchema, texts);
}
