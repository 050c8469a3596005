/** The Dockerfile, the compose file, and the systemd units: that they name what is there. */
import { readdirSync, readFileSync, existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

/** A command as Docker's list of its parts. */
const asList = (command: string) => JSON.stringify(command.split(" ")).replaceAll(",", ", ");

/** The instructions of the Dockerfile, by stage, each as one line. */
const stages = read("Dockerfile")
  .replace(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => /^[A-Z]+ /.test(line))
  .reduce<string[][]>((all, line) => {
    if (line.startsWith("FROM ")) all.push([]);
    all.at(-1)!.push(line);
    return all;
  }, []);
const last = stages.at(-1)!;

/** What an instruction copies from the folder of the build. */
const sourcesOf = (line: string) => /^COPY (?!--from)(.*) \S+$/.exec(line)?.[1]?.split(" ") ?? [];

/** The files that a source of COPY stands for; its last part may have a `*`. */
function expand(source: string): string[] {
  const folder = posix.dirname(source);
  const name = new RegExp(
    `^${posix.basename(source).replaceAll(".", "\\.").replaceAll("*", ".*")}$`,
  );
  return readdirSync(join(root, folder))
    .filter((entry) => name.test(entry))
    .map((entry) => posix.join(folder, entry));
}

/** A module with all that it imports of ours, statically. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, target] of read(file).matchAll(/(?:from|^import) "(\.[^"]+)"/gm))
    withImports(posix.join(dirname(file), target!), found);
  return found;
}

describe("the Dockerfile", () => {
  const copied = stages.flat().flatMap(sourcesOf);

  it("copies only what exists, and what .dockerignore lets through", () => {
    const allowed = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    expect(copied.length).toBeGreaterThan(8);
    for (const source of copied) {
      expect(expand(source), source).not.toEqual([]);
      expect(allowed, source).toContain(source.split("/")[0]);
    }
    for (const name of allowed) expect(copied.map((one) => one.split("/")[0])).toContain(name);
  });

  it("has in the image every file of ours that the start and the commands load", () => {
    const present = last.flatMap(sourcesOf).flatMap(expand);
    for (const entry of ["start", "prepare", "command", "leave-with-parent"])
      expect(present).toEqual(expect.arrayContaining([...withImports(`scripts/${entry}.mjs`)]));
  });

  it("builds and starts as package.json says, not as root, with no packages for development", () => {
    expect(stages[0]).toContain("RUN npm run build");
    expect(last).toContain(`CMD ${asList(scripts["start"]!)}`);
    expect(last).toContain("USER node");
    expect(last.join("\n")).toMatch(/NODE_ENV=production HOST=0\.0\.0\.0/);
    expect(last.join("\n")).not.toContain("RUN ");
    expect(stages[1]!.join("\n")).toContain("npm ci --omit=dev");
  });

  it("checks its health with Node, which is there, at an address that exists", () => {
    const check = last.find((line) => line.startsWith("HEALTHCHECK"))!;
    expect(check).toMatch(/CMD \["node", "-e", "/);
    expect(existsSync(join(root, "app/routes/healthz.ts"))).toBe(true);
    expect(check).toContain("/healthz");
  });

  it("uses a Node that package.json accepts", () => {
    for (const [from] of stages) expect(from).toMatch(/^FROM node:22-slim( AS \w+)?$/);
  });
});

it("compose.yaml runs the app and the worker, as package.json says, on a file system that is read-only", () => {
  const compose = read("compose.yaml");
  expect(compose).toContain(`command: ${asList(scripts["work"]!)}`);
  for (const line of ["read_only: true", "HOST: 0.0.0.0", "env_file: .env"])
    expect(compose).toContain(line);
});

describe.each([
  ["directory-dashboard.service", "start"],
  ["directory-dashboard-work.service", "work"],
])("docs/deploy/%s", (file, script) => {
  it(`runs \`npm run ${script}\`, not as root, and gives it time to end`, () => {
    const unit = read(`docs/deploy/${file}`);
    expect(unit).toContain(`\nExecStart=/usr/bin/${scripts[script]}\n`);
    expect(unit).toContain("\nDynamicUser=yes\n");
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(10);
  });
});

it("the configuration of nginx has requests, their queries, and who sent them in no log", () => {
  const lines = read("docs/deploy/nginx.conf").split("\n");

  expect(lines.filter((line) => /^ {2}access_log /.test(line))).toEqual(["  access_log off;"]);
  expect(lines.filter((line) => /^ {2}error_log /.test(line))).toEqual([
    expect.stringMatching(/ crit;$/),
  ]);
});

// nginx would leave out both for two seconds when the second one is restarted as soon as the first one answers, as
// docs/deploy.md says.
it("the configuration of nginx leaves no instance out, so that both can be restarted one right after the other", () => {
  const servers = read("docs/deploy/nginx.conf").match(/^ {2}server 127.*$/gm);

  expect(servers).toHaveLength(2);
  for (const server of servers!) expect(server).toMatch(/ max_fails=0;$/);
});

it("package.json runs no command by tsx that production needs", () => {
  for (const name of [
    "doctor",
    "work",
    "emails:send",
    "erase-due",
    "billing:reconcile",
    "stripe:setup",
  ])
    expect(scripts[name]).toMatch(/^node scripts\/command\.mjs [\w-]+$/);
});
