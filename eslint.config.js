/**
 * The coding rules that a machine can check. The general ones are the plugins' recommended sets.
 * Ours are below, each with its reason in the message; tests/contract/lint.test.ts shows that each
 * of them refuses a wrong file.
 */
import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import path from "node:path";
import tseslint from "typescript-eslint";

const root = import.meta.dirname;

/* ---- The dependencies between the folders of app/ ---- */

/** The layer of the app to which a file belongs. The path is relative to the repository. */
function layerOf(file) {
  const [top, folder] = file.split("/");
  if (top !== "app") return top;
  if (/^(root|entry\.)/.test(folder)) return "shell";
  if (folder === "env.server.ts" || folder === "env.server") return "env";
  return folder;
}

/**
 * The layers that each layer may import. A dependency may skip a layer, but never points back up;
 * no route imports another.
 */
const arrows = {
  shell: ["http", "components", "modules", "integrations", "env", "styles", "text"],
  routes: ["modules", "integrations", "http", "components", "styles", "env", "text"],
  modules: ["modules", "integrations", "http", "components", "env", "text"],
  integrations: ["integrations", "env", "text"],
  http: ["http", "integrations", "env", "text"],
  components: ["components", "http", "styles", "text"],
  env: ["text"],
  styles: ["styles"],
  // Numbers, dates, and ids as text: pure, and open to every layer.
  text: ["text"],
};

const arrowsRule = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      upstream:
        "{{from}} may not import {{to}}: dependencies run routes → modules → integrations, and http and components know no module.",
      outside:
        "The app never imports {{to}}: it is told where its outside parties are by environment variables.",
    },
  },
  create(context) {
    const file = path.relative(root, context.filename).split(path.sep).join("/");
    const from = layerOf(file);
    if (!(from in arrows)) return {};

    function check(source) {
      if (typeof source?.value !== "string") return;
      const name = source.value.split("?")[0];
      let target;
      if (name.startsWith("~/")) target = path.posix.join("app", name.slice(2));
      else if (name.startsWith(".")) target = path.posix.join(path.posix.dirname(file), name);
      else return;
      const to = layerOf(target);
      if (!target.startsWith("app/")) {
        context.report({ node: source, messageId: "outside", data: { to } });
      } else if (
        !arrows[from].includes(to) &&
        !(from === "routes" && sameRouteFolder(file, target))
      ) {
        context.report({ node: source, messageId: "upstream", data: { from, to } });
      }
    }
    return {
      ImportDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
    };
  },
};

/**
 * A route in a folder of its own (`app/routes/listings.$id/route.tsx`) may import files beside it.
 */
function sameRouteFolder(file, target) {
  const folder = path.posix.dirname(file);
  return folder !== "app/routes" && target.startsWith(`${folder}/`);
}

/* ---- File names ---- */

const fileRule = {
  meta: {
    type: "suggestion",
    schema: [],
    messages: {
      name: "A file is named after the idea in it; `{{name}}` says nothing.",
      barrel:
        "A file that only passes on what other files export hides where things are: import from there.",
    },
  },
  create(context) {
    return {
      Program(node) {
        const name = path.basename(context.filename).split(".")[0];
        if (/^(utils?|helpers?|common|misc|shared|index)$/.test(name)) {
          context.report({ node, messageId: "name", data: { name } });
        }
        const passesOn = (statement) =>
          statement.type === "ExportAllDeclaration" ||
          (statement.type === "ExportNamedDeclaration" && statement.source !== null);
        if (node.body.length > 0 && node.body.every(passesOn))
          context.report({ node, messageId: "barrel" });
      },
    };
  },
};

const house = { rules: { arrows: arrowsRule, file: fileRule } };

/* ---- Syntax that is not allowed, by folder ---- */

const everywhere = [
  {
    selector: "ExportDefaultDeclaration > ClassDeclaration",
    message: "Export a class by its name.",
  },
];
const environment = [
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: "Only app/env.server.ts reads process.env; import what you need from there.",
  },
  {
    selector: "MemberExpression[object.name='process'][property.value='env']",
    message: "Only app/env.server.ts reads process.env; import what you need from there.",
  },
  {
    selector: "VariableDeclarator[init.name='process'] > ObjectPattern > Property[key.name='env']",
    message: "Only app/env.server.ts reads process.env; import what you need from there.",
  },
  {
    selector: "ImportDeclaration[source.value=/^(node:)?process$/]",
    message: "Only app/env.server.ts reads process.env; import what you need from there.",
  },
];
const pure = [
  {
    selector: "ImportDeclaration[importKind!='type']:not([source.value=/\\/rules$|^~\\/text\\//])",
    message:
      "rules.ts holds pure decisions: it may import types, other rules, and ~/text, nothing that does I/O.",
  },
  { selector: "ImportExpression", message: "rules.ts holds pure decisions: it loads nothing." },
  {
    selector: "CallExpression[callee.name=/^(fetch|setTimeout|setInterval)$/]",
    message: "rules.ts holds pure decisions: it does no I/O.",
  },
  {
    selector:
      "CallExpression[callee.object.name='Date'][callee.property.name='now'], NewExpression[callee.name='Date'][arguments.length=0]",
    message: "rules.ts holds pure decisions: take the time as an argument.",
  },
];

const zodInTheBrowser = {
  group: ["zod", "zod/*", "@conform-to/zod", "@conform-to/zod/*"],
  message: "zod weighs up to 50 KB in the browser: schemas live in *.server.ts files.",
};
const zodOfVersion3 = {
  regex: "^(zod/.+|@conform-to/zod|@conform-to/zod/v3)$",
  message: "Import from zod and @conform-to/zod/v4: version 4, under one name.",
};

const scripts = ["**/*.{js,mjs,cjs}"];
const typescript = ["**/*.{ts,tsx}"];

export default tseslint.config(
  {
    ignores: [
      "node_modules",
      "build",
      ".cache",
      ".local",
      "test-results",
      "coverage",
      "public",
      "**/*.d.ts",
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },

  js.configs.recommended,
  {
    files: typescript,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      // Remix throws Responses: that is how a redirect leaves a loader.
      "@typescript-eslint/only-throw-error": [
        "error",
        {
          allowThrowingUnknown: true,
          allow: [
            { from: "lib", name: "Response" },
            { from: "package", package: "@remix-run/server-runtime", name: "TypedResponse" },
          ],
        },
      ],
      // A function that implements an interface that returns a Promise may have nothing to await.
      "@typescript-eslint/require-await": "off",
    },
  },
  {
    files: scripts,
    languageOptions: {
      globals: Object.fromEntries(
        [
          "process",
          "console",
          "URL",
          "fetch",
          "setTimeout",
          "clearTimeout",
          "setInterval",
          "clearInterval",
          "AbortSignal",
          "AbortController",
          "Buffer",
          "performance",
        ].map((name) => [name, "readonly"]),
      ),
    },
  },

  {
    plugins: { house },
    files: [...typescript, ...scripts],
    rules: {
      "house/arrows": "error",
      "house/file": "error",
      "no-restricted-syntax": ["error", ...everywhere],
      "no-warning-comments": ["error", { terms: ["todo", "fixme", "xxx"] }],
      eqeqeq: ["error", "always", { null: "ignore" }],
    },
  },
  {
    // React is nowhere else; its rules compile each file, which takes a seventh of the time.
    files: ["app/**/*.tsx", "app/{components,http}/**/*.ts"],
    ignores: ["app/**/*.server.ts"],
    extends: [reactHooks.configs.flat.recommended, jsxA11y.flatConfigs.recommended],
  },
  {
    files: ["app/**/*.{ts,tsx}"],
    rules: {
      "no-restricted-syntax": ["error", ...everywhere, ...environment],
      "no-console": "error",
      "@typescript-eslint/no-restricted-imports": ["error", { patterns: [zodInTheBrowser] }],
    },
  },
  {
    files: ["app/**/*.server.{ts,tsx}"],
    rules: { "@typescript-eslint/no-restricted-imports": ["error", { patterns: [zodOfVersion3] }] },
  },
  {
    // A test reads responses of any shape; its assertions are the type checks.
    files: ["tests/**/*.{ts,tsx}"],
    rules: Object.fromEntries(
      [
        "no-unsafe-assignment",
        "no-unsafe-member-access",
        "no-unsafe-argument",
        "no-unsafe-call",
        "no-unsafe-return",
        "restrict-template-expressions",
      ].map((name) => [`@typescript-eslint/${name}`, "off"]),
    ),
  },
  {
    files: ["app/env.server.ts"],
    rules: { "no-restricted-syntax": ["error", ...everywhere] },
  },
  {
    files: ["app/modules/**/rules.ts"],
    rules: { "no-restricted-syntax": ["error", ...everywhere, ...environment, ...pure] },
  },
  {
    files: ["app/routes/**/*.{ts,tsx}"],
    rules: { "max-lines": ["error", { max: 200 }] },
  },

  // Generated from the migrations; the type of a view's column is `unknown | null`.
  {
    files: ["app/integrations/supabase/database.types.ts"],
    rules: { "@typescript-eslint/no-redundant-type-constituents": "off" },
  },
);
