/**
 * What the SDK says about the API: its operations, and the types of their parameters, read from its
 * files with the TypeScript compiler.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import ts from "typescript";

const RESOURCES = fileURLToPath(
  new URL("../../node_modules/stripe/esm/resources/", import.meta.url),
);
const OPERATION =
  /^ {4}(\w+)\([^)]*\) \{\s+return this\._makeRequest\('(GET|POST|DELETE)', (?:'([^']+)'|`([^`]+)`)/gm;

/** A method of one of the SDK's resources. */
export interface Operation {
  file: string;
  resource: string;
  method: string;
}

/** The operations of the SDK by method and path: `POST /v1/customers/:id`. */
export function readOperations(): Map<string, Operation> {
  const found = new Map<string, Operation>();
  for (const name of readdirSync(RESOURCES, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".js")) continue;
    const source = readFileSync(`${RESOURCES}${name}`, "utf8");
    const resource = /export class (\w+) extends StripeResource/.exec(source)?.[1];
    if (resource === undefined) continue;
    for (const [, method, verb, plain, template] of source.matchAll(OPERATION)) {
      const path = (plain ?? template)!.replace(/\$\{encodeURIComponent\(\w+\)\}/g, ":id");
      const file = `${RESOURCES}${name.replace(/\.js$/, ".d.ts")}`;
      found.set(`${verb} ${path}`, { file, resource, method: method! });
    }
  }
  return found;
}

/** Reads the types of the SDK's parameters. */
export class ParameterTypes {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  constructor(operations: Operation[]) {
    this.#program = ts.createProgram([...new Set(operations.map(({ file }) => file))], {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      skipLibCheck: true,
      strict: true,
      types: [],
    });
    this.#checker = this.#program.getTypeChecker();
  }

  /** The types of an operation's parameters; none when it has no parameters. */
  of({ file, resource, method }: Operation): ts.Type[] {
    const module = this.#checker.getSymbolAtLocation(this.#program.getSourceFile(file)!)!;
    const symbol = this.#checker.getExportsOfModule(module).find(({ name }) => name === resource)!;
    const member = this.#checker.getDeclaredTypeOfSymbol(symbol).getProperty(method)!;
    const signatures = this.#checker.getTypeOfSymbol(member).getCallSignatures();
    return signatures.flatMap((signature) => {
      const params = signature.getParameters().find(({ name }) => name === "params");
      return params ? [this.#checker.getTypeOfSymbol(params)] : [];
    });
  }

  /** The types that a value may have: those of a union, and not undefined or null. */
  alternatives(types: ts.Type[]): ts.Type[] {
    return types.flatMap((type) => {
      const present = this.#checker.getNonNullableType(type);
      return present.isUnion() ? present.types : [present];
    });
  }

  /** The types of a field; none when there is no such field. */
  field(types: ts.Type[], name: string): ts.Type[] {
    return this.alternatives(types).flatMap((type) => {
      const field = this.#checker.getPropertyOfType(type, name);
      return field ? [this.#checker.getTypeOfSymbol(field)] : [];
    });
  }

  /** The names of the fields that must be given. */
  requiredFields(types: ts.Type[]): string[] {
    return this.alternatives(types)
      .filter((type) => (type.flags & ts.TypeFlags.Object) !== 0)
      .flatMap((type) => this.#checker.getPropertiesOfType(type))
      .filter((field) => (field.flags & ts.SymbolFlags.Optional) === 0)
      .map(({ name }) => name);
  }

  /** The types of the items of a list. */
  items(types: ts.Type[]): ts.Type[] {
    return this.alternatives(types)
      .filter((type) => this.#checker.isArrayType(type))
      .flatMap((type) => this.#checker.getTypeArguments(type as ts.TypeReference));
  }

  /** The texts that an enum names. Its type also has a part for texts that it does not name yet. */
  literals(types: ts.Type[]): string[] {
    return this.alternatives(types).flatMap((type) =>
      type.isStringLiteral() && type.value !== "" ? [type.value] : [],
    );
  }

  /** Whether single values of this kind are taken. */
  takes(types: ts.Type[], kind: "boolean" | "number" | "text"): boolean {
    const flag = {
      boolean: ts.TypeFlags.BooleanLike,
      number: ts.TypeFlags.NumberLike,
      text: ts.TypeFlags.StringLike,
    }[kind];
    return this.alternatives(types).some((type) => (type.flags & flag) !== 0);
  }
}
