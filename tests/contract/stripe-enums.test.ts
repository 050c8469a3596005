/**
 * The SDK's enums also take texts that it does not name, so that no compiler notices a misspelled one.
 * Here each text in our code that is given as a value of such an enum, or compared with one, must be
 * one that the SDK names.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import ts from "typescript";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, (path) => readFileSync(path, "utf8"));
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
const billing = fileNames.filter((name) => name.includes("/app/modules/billing/"));
const program = ts.createProgram(billing, options);
const checker = program.getTypeChecker();

/** The values that an open enum names; null for any other type. */
function namedValues(type: ts.Type | undefined): string[] | null {
  if (!type?.isUnion()) return null;
  const isOpen = type.types.some(
    (part) => part.isIntersection() && part.types.some(({ flags }) => flags & ts.TypeFlags.String),
  );
  return isOpen ? type.types.flatMap((part) => (part.isStringLiteral() ? [part.value] : [])) : null;
}

/** The type of what a text is compared with. */
function comparedType(text: ts.StringLiteral): ts.Type | undefined {
  const { parent } = text;
  if (ts.isCaseClause(parent)) return checker.getTypeAtLocation(parent.parent.parent.expression);
  if (!ts.isBinaryExpression(parent)) return undefined;
  return checker.getTypeAtLocation(parent.left === text ? parent.right : parent.left);
}

interface Use {
  place: string;
  text: string;
  isNamed: boolean;
}

function usesIn(file: ts.SourceFile): Use[] {
  const found: Use[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) {
      const values =
        namedValues(checker.getContextualType(node)) ?? namedValues(comparedType(node));
      if (values) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        const place = `${file.fileName.replace(ROOT, "")}:${line + 1}`;
        found.push({ place, text: node.text, isNamed: values.includes(node.text) });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

it("names no value of an enum that the SDK does not name", () => {
  const uses = billing.flatMap((name) => usesIn(program.getSourceFile(name)!));
  expect(uses.length).toBeGreaterThan(15);
  expect(uses.filter(({ isNamed }) => !isNamed)).toEqual([]);
});
