/**
 * The step `code` of `npm test`: what `npm run typecheck` and `npm run lint` check, over one
 * program. Most of the time of ESLint's rules goes into types, which TypeScript has then worked out
 * already.
 */
import { ESLint } from "eslint";
import reactHooks from "eslint-plugin-react-hooks";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const { rules } = reactHooks.configs.flat.recommended;
const compiling = Object.keys(rules).filter(
  (rule) => !/\/(rules-of-hooks|exhaustive-deps)$/.test(rule),
);
const program = createProgram();
// The same that tsc reports, in its form.
const typeErrors = ts.getPreEmitDiagnostics(program);
if (typeErrors.length > 0) console.log(describe(typeErrors));

const eslint = new ESLint({
  cwd: root,
  overrideConfig: {
    files: ["**/*.{ts,tsx}"],
    languageOptions: { parserOptions: { programs: [program], projectService: false } },
    // These compile each component. `npm run lint` has them, and the night (tests/support/nightly.ts).
    rules:
      process.env["NIGHTLY"] === "1"
        ? {}
        : Object.fromEntries(compiling.map((rule) => [rule, "off"])),
  },
});
const results = await eslint.lintFiles(["."]);
const report = await (await eslint.loadFormatter()).format(results);
if (report) console.log(report);

const isClean = results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
process.exitCode = isClean && typeErrors.length === 0 ? 0 : 1;

/** The program that tsc would check. */
function createProgram() {
  const config = ts.getParsedCommandLineOfConfigFile(`${root}tsconfig.json`, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic(error) {
      throw new Error(describe([error]));
    },
  });
  return ts.createProgram({
    rootNames: config.fileNames,
    options: config.options,
    projectReferences: config.projectReferences,
    configFileParsingDiagnostics: ts.getConfigFileParsingDiagnostics(config),
  });
}

function describe(errors) {
  return ts.formatDiagnostics(errors, {
    getCurrentDirectory: () => root,
    getCanonicalFileName: (name) => name,
    getNewLine: () => "\n",
  });
}
