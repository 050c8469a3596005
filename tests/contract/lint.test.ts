import { ESLint } from "eslint";
import { describe, expect, it } from "vitest";
import tseslint from "typescript-eslint";

// The project's own rules look at one file; without the rules that need types this is fast.
const eslint = new ESLint({ overrideConfig: [tseslint.configs.disableTypeChecked] });

/** The messages for a file with this text at this path. */
async function lint(filePath: string, text: string) {
  const [result] = await eslint.lintText(text, { filePath });
  return result!.messages.map((message) => message.message).join("\n");
}

const refused: { rule: string; at: string; text: string; because: string }[] = [
  {
    rule: "a module imports no route",
    at: "app/modules/listings/read.server.ts",
    text: `export { loader } from "~/routes/listings";\nexport const one = 1;`,
    because: "modules may not import routes",
  },
  {
    rule: "an integration imports no route",
    at: "app/integrations/supabase/clients.server.ts",
    text: `import { loader } from "~/routes/listings";\nexport const one = loader;`,
    because: "integrations may not import routes",
  },
  {
    rule: "a route imports no other route",
    at: "app/routes/listings.tsx",
    text: `import { one } from "./jobs";\nexport const loader = () => one;`,
    because: "routes may not import routes",
  },
  {
    rule: "an integration imports no module",
    at: "app/integrations/stripe/checkout.server.ts",
    text: `import { price } from "../../modules/jobs/rules";\nexport const pay = () => price;`,
    because: "integrations may not import modules",
  },
  {
    rule: "http knows no module",
    at: "app/http/route.server.ts",
    text: `import type { Listing } from "~/modules/listings/rules";\nexport const one = (listing: Listing) => listing;`,
    because: "http may not import modules",
  },
  {
    rule: "components know no module, loaded later or not",
    at: "app/components/ui/badge.tsx",
    text: `export const later = () => import("~/modules/listings/rules");`,
    because: "components may not import modules",
  },
  {
    rule: "the app does not import local/",
    at: "app/http/route.server.ts",
    text: `import { start } from "../../local/supabase";\nexport const one = start;`,
    because: "The app never imports local",
  },
  {
    rule: "the app does not import tests/",
    at: "app/modules/listings/read.server.ts",
    text: `import { world } from "../../../tests/support/world";\nexport const one = world;`,
    because: "The app never imports tests",
  },
  {
    rule: "rules.ts imports nothing that does I/O",
    at: "app/modules/listings/rules.ts",
    text: `import { readFile } from "node:fs/promises";\nexport const one = readFile;`,
    because: "rules.ts holds pure decisions",
  },
  {
    rule: "rules.ts imports nothing that does I/O, also in a folder of a module",
    at: "app/modules/moderation/decisions/rules.ts",
    text: `import { log } from "~/http/log.server";\nexport const one = log;`,
    because: "rules.ts holds pure decisions",
  },
  {
    rule: "rules.ts does not fetch",
    at: "app/modules/listings/rules.ts",
    text: `export const one = () => fetch("https://example.org");`,
    because: "it does no I/O",
  },
  {
    rule: "rules.ts does not look at the clock",
    at: "app/modules/jobs/rules.ts",
    text: `export const expired = (at: Date) => at < new Date();`,
    because: "take the time as an argument",
  },
  {
    rule: "process.env is read in one place",
    at: "app/http/session.server.ts",
    text: `export const secret = process.env.SESSION_SECRET;`,
    because: "Only app/env.server.ts reads process.env",
  },
  {
    rule: "process.env is read in one place, by any spelling",
    at: "app/root.tsx",
    text: `const { env } = process;\nexport const secret = env;`,
    because: "Only app/env.server.ts reads process.env",
  },
  {
    rule: "zod stays out of the browser",
    at: "app/routes/login.tsx",
    text: `import { z } from "zod";\nexport const schema = z.object({});`,
    because: "schemas live in *.server.ts files",
  },
  {
    rule: "conform's zod part stays out of the browser",
    at: "app/components/forms/form.tsx",
    text: `import { parseWithZod } from "@conform-to/zod/v4";\nexport const one = parseWithZod;`,
    because: "schemas live in *.server.ts files",
  },
  {
    rule: "there is one version of zod",
    at: "app/modules/accounts/schema.server.ts",
    text: `import { z } from "zod/v3";\nexport const schema = z.object({});`,
    because: "version 4, under one name",
  },
  {
    rule: "no file is called utils",
    at: "app/modules/listings/utils.ts",
    text: `export const one = 1;`,
    because: "`utils` says nothing",
  },
  {
    rule: "no barrel files",
    at: "app/components/ui/controls.ts",
    text: `export { Button } from "./button";\nexport * from "./badge";`,
    because: "hides where things are",
  },
  {
    rule: "no default-export classes",
    at: "local/mailbox.ts",
    text: `export default class Mailbox {}`,
    because: "Export a class by its name",
  },
  {
    rule: "the app writes to its log, not to the console",
    at: "app/modules/listings/read.server.ts",
    text: `console.log("here");`,
    because: "Unexpected console statement",
  },
  {
    rule: "no route over 200 lines",
    at: "app/routes/login.tsx",
    text: "export const one = 1;\n".repeat(201),
    because: "File has too many lines",
  },
  {
    rule: "nothing is left for later",
    at: "scripts/start.mjs",
    text: `// TODO: later\nexport const one = 1;`,
    because: "Unexpected 'todo' comment",
  },
  {
    rule: "hooks are called in order",
    at: "app/components/ui/badge.tsx",
    text: `import { useId } from "react";\nexport const Badge = ({ on }: { on: boolean }) => (on ? <b id={useId()} /> : null);`,
    because: "React Hook",
  },
  {
    rule: "an image has words",
    at: "app/components/ui/logo.tsx",
    text: `export const Logo = () => <img src="/logo.svg" />;`,
    because: "alt",
  },
];

describe("the lint rules reject", () => {
  it.each(refused)("$rule", async ({ at, text, because }) => {
    expect(await lint(at, text)).toContain(because);
  });
});

describe("the lint rules accept", () => {
  it.each([
    [
      "app/routes/listings.tsx",
      `import { list } from "~/modules/listings/list.server";\nexport const loader = () => list;`,
    ],
    [
      "app/routes/login/route.tsx",
      `import { LoginForm } from "./login-form";\nexport const one = LoginForm;`,
    ],
    [
      "app/modules/listings/list.server.ts",
      `import { db } from "~/integrations/supabase/clients.server";\nexport const list = () => db;`,
    ],
    [
      "app/modules/listings/rules.ts",
      `import { isOpen } from "../jobs/rules";\nimport type { Row } from "./list.server";\nexport const one = (row: Row) => isOpen(row);`,
    ],
    [
      "app/modules/moderation/decisions/rules.ts",
      `import { formatNumber } from "~/text/counts";\nexport const one = formatNumber(1);`,
    ],
    [
      "app/modules/accounts/schema.server.ts",
      `import { z } from "zod";\nexport const schema = z.object({});`,
    ],
    ["app/env.server.ts", `export const env = () => process.env;`],
    ["scripts/start.mjs", `console.log(process.env.PORT);`],
  ])("%s", async (at, text) => {
    expect(await lint(at, text)).toBe("");
  });
});
