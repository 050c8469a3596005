/**
 * What the code of a release needs from the database's API, read from its sources with the
 * TypeScript compiler.
 */
import { join } from "node:path";

import ts from "typescript";

/** For each function, the arguments that some call of it sends; for each table or view, what is done with which columns. */
export interface ReleaseContract {
  functions: Record<string, string[]>;
  relations: Record<string, Partial<Record<Operation, string[]>>>;
}

export type Operation = "select" | "insert" | "update" | "delete";

/** Calls whose first argument is a column. */
const FILTERS = new Set(
  "eq neq gt gte lt lte like ilike is in contains overlaps not order filter".split(" "),
);
const WRITES: Readonly<Record<string, Operation[]>> = {
  insert: ["insert"],
  update: ["update"],
  upsert: ["insert", "update"],
};

/**
 * Reads the contract of the sources in a folder that has their packages and their tsconfig.
 * @param files only these files of them
 */
export function readReleaseContract(folder: string, files?: string[]): ReleaseContract {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(folder, "tsconfig.json"),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (problem) => {
        throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
      },
    },
  );
  const names = config!.fileNames.filter(
    (name) => !files || files.includes(name.slice(folder.length + 1)),
  );
  const program = ts.createProgram(names, config!.options);
  const checker = program.getTypeChecker();
  const functions = new Map<string, Set<string>>();
  const relations = new Map<string, Map<Operation, Set<string>>>();

  const isPartOf = (name: string) =>
    /^(app|scripts)\//.test(name.slice(folder.length + 1)) && names.includes(name);
  for (const source of program.getSourceFiles()) if (isPartOf(source.fileName)) visit(source);
  // Columns of what a function returns are its own.
  for (const name of functions.keys()) relations.delete(name);
  return {
    functions: sorted(functions, (names) => [...names].sort()),
    relations: sorted(relations, (operations) => sorted(operations, (names) => [...names].sort())),
  };

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node)) {
      if (ts.isIdentifier(node.expression) && node.expression.text === "callFunction")
        addFunction(node.arguments[1], node.arguments[2]);
      if (ts.isPropertyAccessExpression(node.expression)) addCall(node, node.expression);
    }
    ts.forEachChild(node, visit);
  }

  function addCall(
    { arguments: [first, second] }: ts.CallExpression,
    { expression: receiver, name: { text: method } }: ts.PropertyAccessExpression,
  ): void {
    if (method === "rpc") return addFunction(first, second);
    for (const relation of relationsOf(receiver)) {
      if (method === "delete") add(relation, "delete", []);
      for (const operation of WRITES[method] ?? []) add(relation, operation, propertiesOf(first));
      for (const text of textsOf(first))
        if (method === "select") addSelection(relation, text);
        else if (FILTERS.has(method) && /^\w+$/.test(text)) add(relation, "select", [text]);
    }
  }

  function addFunction(name: ts.Node | undefined, args: ts.Node | undefined): void {
    const names = textsOf(name);
    // For a call that is for one of several functions, arguments that not all of them get are left
    // out.
    const isAlways = (property: ts.Symbol) => !(property.flags & ts.SymbolFlags.Optional);
    for (const text of names) {
      if (!functions.has(text)) functions.set(text, new Set());
      for (const property of propertiesOf(args, names.length > 1 ? isAlways : undefined))
        functions.get(text)!.add(property);
    }
  }

  /** Adds the columns of a selection such as `id, place:places!places_owner_fkey(name)`. */
  function addSelection(relation: string, text: string): void {
    const columns: string[] = [];
    for (const part of splitAtTop(text)) {
      const [, embedded, inner] = /^(?:\w+:)?(\w+)(?:!\w+)*\((.*)\)$/s.exec(part) ?? [];
      if (embedded !== undefined) addSelection(embedded, inner!);
      else columns.push(part.replace(/^\w+:/, "").replace(/(->|::).*/s, ""));
    }
    add(
      relation,
      "select",
      columns.filter((column) => /^\w+$/.test(column)),
    );
  }

  function add(relation: string, operation: Operation, columns: readonly string[]): void {
    if (!relations.has(relation)) relations.set(relation, new Map());
    const operations = relations.get(relation)!;
    if (!operations.has(operation)) operations.set(operation, new Set());
    for (const column of columns) operations.get(operation)!.add(column);
  }

  /** The tables and views that a query of the Supabase client may be about, from its type. */
  function relationsOf(receiver: ts.Expression): string[] {
    const type = checker.getTypeAtLocation(receiver);
    const names = (type.isUnion() ? type.types : [type]).flatMap((one) => {
      const reference = one as ts.TypeReference;
      const at = reference.target?.typeParameters?.findIndex(
        (parameter) => parameter.symbol?.name === "RelationName",
      );
      return at === undefined || at < 0 ? [] : literalsOf(checker.getTypeArguments(reference)[at]!);
    });
    return [...new Set(names)];
  }

  /** The values of an expression whose type is a literal, or several. */
  function textsOf(node: ts.Node | undefined): string[] {
    return node ? literalsOf(checker.getTypeAtLocation(node)) : [];
  }

  function literalsOf(type: ts.Type): string[] {
    return (type.isUnion() ? type.types : [type]).flatMap((one) =>
      one.isStringLiteral() ? [one.value] : [],
    );
  }

  function propertiesOf(
    node: ts.Node | undefined,
    isWanted: (property: ts.Symbol) => boolean = () => true,
  ): string[] {
    if (!node) return [];
    const type = checker.getTypeAtLocation(node);
    const parts = type.isUnion() ? type.types : [type];
    return parts
      .map((one) => checker.getIndexTypeOfType(one, ts.IndexKind.Number) ?? one)
      .flatMap((one) => checker.getPropertiesOfType(one).filter(isWanted))
      .map(({ name }) => name)
      .filter((name) => /^\w+$/.test(name));
  }
}

/** Splits at the commas outside of parentheses. */
function splitAtTop(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text.replace(/\s+/g, "")) {
    depth += Number(character === "(") - Number(character === ")");
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.filter(Boolean);
}

function sorted<Value, Result>(
  entries: ReadonlyMap<string, Value>,
  convert: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(
    [...entries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, convert(value)]),
  );
}
