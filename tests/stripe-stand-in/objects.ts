/** The SDK's types of the objects that the API returns, to compare real answers with. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import ts from "typescript";

const RESOURCES = fileURLToPath(
  new URL("../../node_modules/stripe/esm/resources/", import.meta.url),
);
const DECLARATION = /export interface (\w+) \{(?:(?!\nexport |\n\}).)*?\n {4}object: '([\w.]+)';/gs;

interface Declaration {
  file: string;
  name: string;
}

/** Where the objects are declared, by the text in their field `object`. */
function readDeclarations(): Map<string, Declaration[]> {
  const found = new Map<string, Declaration[]>();
  for (const file of readdirSync(RESOURCES, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".d.ts")) continue;
    const source = readFileSync(`${RESOURCES}${file}`, "utf8");
    for (const [, name, object] of source.matchAll(DECLARATION))
      found.set(object!, [
        ...(found.get(object!) ?? []),
        { file: `${RESOURCES}${file}`, name: name! },
      ]);
  }
  return found;
}

type Json = Record<string, unknown>;

/** Compares objects with their types in the SDK. */
export class ObjectTypes {
  readonly #declarations = readDeclarations();
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  constructor(objects: string[]) {
    const files = objects.flatMap((name) => this.#declarations.get(name) ?? []);
    this.#program = ts.createProgram([...new Set(files.map(({ file }) => file))], {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      skipLibCheck: true,
      strict: true,
      types: [],
    });
    this.#checker = this.#program.getTypeChecker();
  }

  /** How an object differs from its type; empty when it does not. */
  problems(value: Json): string[] {
    const object = String(value["object"]);
    if (object === "list") return this.#list(value, object);
    const types = (this.#declarations.get(object) ?? []).map((one) => this.#typeOf(one));
    return types.length === 0
      ? [`${object}: the SDK has no such object`]
      : this.#fewest(types.map((type) => this.#objectProblems(value, type, object)));
  }

  #list(value: Json, path: string): string[] {
    return (value["data"] as Json[]).flatMap((item, index) =>
      this.problems(item).map((problem) => `${path}[${index}] ${problem}`),
    );
  }

  #typeOf({ file, name }: Declaration): ts.Type {
    const source = this.#program.getSourceFile(file)!;
    let found: ts.Type | undefined;
    const visit = (node: ts.Node): void => {
      if (ts.isInterfaceDeclaration(node) && node.name.text === name)
        found ??= this.#checker.getTypeAtLocation(node);
      if (ts.isModuleDeclaration(node) || ts.isModuleBlock(node)) ts.forEachChild(node, visit);
    };
    ts.forEachChild(source, visit);
    return found!;
  }

  /** A value may have one of several types: the one that it differs least from counts. */
  #fewest(options: string[][]): string[] {
    return options.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }

  #objectProblems(value: Json, type: ts.Type, path: string): string[] {
    if (this.#checker.getIndexInfosOfType(type).length > 0) return [];
    const fields = this.#checker.getPropertiesOfType(type);
    const missing = fields
      .filter(({ name, flags }) => (flags & ts.SymbolFlags.Optional) === 0 && !(name in value))
      .map(({ name }) => `${path}.${name} is missing`);
    const others = Object.entries(value).flatMap(([name, inner]) => {
      const field = fields.find((one) => one.name === name);
      return field
        ? this.#valueProblems(inner, this.#checker.getTypeOfSymbol(field), `${path}.${name}`)
        : [`${path}.${name} is no field of it`];
    });
    return [...missing, ...others];
  }

  #valueProblems(value: unknown, type: ts.Type, path: string): string[] {
    const options = type.isUnion() ? type.types : [type];
    const has = (flag: ts.TypeFlags): boolean => options.some(({ flags }) => (flags & flag) !== 0);
    if (value === null) return has(ts.TypeFlags.Null) ? [] : [`${path} is null`];
    if (typeof value === "boolean")
      return has(ts.TypeFlags.BooleanLike) ? [] : [`${path} is a boolean`];
    if (typeof value === "number")
      return has(ts.TypeFlags.NumberLike) ? [] : [`${path} is a number`];
    if (typeof value === "string") return this.#textProblems(value, options, path);
    if (Array.isArray(value)) {
      const list = options.find((one) => this.#checker.isArrayType(one));
      if (!list) return [`${path} is a list`];
      const [item] = this.#checker.getTypeArguments(list as ts.TypeReference);
      return value.flatMap((inner, index) =>
        this.#valueProblems(inner, item!, `${path}[${index}]`),
      );
    }
    const objects = options.filter(
      (one) => one.flags & ts.TypeFlags.Object && !this.#checker.isArrayType(one),
    );
    return objects.length === 0
      ? [`${path} is an object`]
      : this.#fewest(objects.map((one) => this.#objectProblems(value as Json, one, path)));
  }

  #textProblems(value: string, options: ts.Type[], path: string): string[] {
    // A decimal is sent as text.
    if (options.some((one) => one.isIntersection() && one.getProperty("toFixed"))) return [];
    const named = options.flatMap((one) => (one.isStringLiteral() ? [one.value] : []));
    const any = options.some(({ flags }) => (flags & ts.TypeFlags.String) !== 0);
    if (any || named.includes(value)) return [];
    return [`${path} is ${JSON.stringify(value)}, which the SDK does not name`];
  }
}
