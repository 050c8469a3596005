import { spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";

import connect from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { installedPostgres15, startPostgres, type Postgres } from "./postgres";

// Postgres 15 is not installed on every machine; 17 comes with the packages.
const versions = installedPostgres15() ? ([15, 17] as const) : ([17] as const);

describe.each(versions)("Postgres %i", (version) => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres({ version, settings: { work_mem: "7MB" } });
  });
  afterAll(() => postgres.stop());

  it("has the requested version and settings", async () => {
    const [row] =
      await postgres.sql`select current_setting('server_version_num')::int / 10000 as version,
                                            current_setting('work_mem') as work_mem`;
    expect(row).toEqual({ version, work_mem: "7MB" });
  });

  it("has the extensions that the migrations name", async () => {
    const rows = await postgres.sql`select name from pg_available_extensions
                                    where name in ('cube', 'earthdistance', 'pg_trgm') order by name`;
    expect(rows.map((row) => row["name"] as string)).toEqual(["cube", "earthdistance", "pg_trgm"]);
  });

  it("copies a database from a template", async () => {
    const template = connect(await postgres.createDatabase({ name: "base" }), { max: 1 });
    await template`create table fruit as select 'fig' as name`;
    await template.end();

    const copy = connect(await postgres.createDatabase({ template: "base" }), { max: 1 });
    expect(await copy`select name from fruit`).toEqual([{ name: "fig" }]);
    await copy.end();
  });
});

it("ends with the process that started it, even when that is killed", async () => {
  const script = `
    const { startPostgres } = await import(${JSON.stringify(new URL("./postgres.ts", import.meta.url).href)});
    console.log((await startPostgres()).url);
    setInterval(() => {}, 1_000);`;
  const starter = spawn(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", script],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const [url] = (await once(starter.stdout.setEncoding("utf8"), "data")) as [string];
  const port = Number(new URL(url.trim()).port);
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = createConnection(port, "127.0.0.1");
      socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
  expect(await answers()).toBe(true);

  starter.kill("SIGKILL");

  await expect.poll(answers, { interval: 100 }).toBe(false);
});
