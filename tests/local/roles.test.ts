import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createEngine, ENGINES, makeProject, startServices, type Services } from "./project";

/**
 * Reads the board many times at once, alternately as the service and as an anonymous visitor. This
 * happens in one process: over the network the requests arrive one after another, and PGlite usually
 * finishes one before the next, so that they would rarely overlap.
 */
async function readConcurrently(services: Services, times: number): Promise<number[]> {
  const reads = Array.from({ length: times }, async (_, turn) => {
    const apikey = turn % 2 ? services.publishableKey : services.secretKey;
    const url = `${services.url}/rest/v1/board?select=id`;
    const response = await services.fetch(new Request(url, { headers: { apikey } }));
    return ((await response.json()) as unknown[]).length;
  });
  return Promise.all(reads);
}

const isoTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/);

describe.each(ENGINES)("roles over %s", (name) => {
  const project = makeProject();
  let services: Services;
  let stopEngine: () => Promise<void>;

  beforeAll(async () => {
    const { engine, stop } = await createEngine(name);
    stopEngine = stop;
    services = await startServices({ project: project.folder, engine });
  });
  afterAll(async () => {
    await services.stop();
    await stopEngine();
    project.remove();
  });

  it("never returns the rows of another role, however requests overlap", async () => {
    // The first request reads the schema, which takes longer; those after it overlap.
    await services.get("/rest/v1/board");
    for (const [turn, rows] of (await readConcurrently(services, 40)).entries()) {
      expect(rows, `rows of request ${turn}`).toBe(turn % 2 ? 0 : 5);
    }
  });

  it("never runs a direct statement with the role of a request", async () => {
    const both = await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        turn % 2
          ? services.get("/rest/v1/board").then((answer) => `read ${answer.body.length}`)
          : services.sql("select count(*) from board").then(([row]) => `sql ${String(row?.count)}`),
      ),
    );
    expect(new Set(both)).toEqual(new Set(["read 0", "sql 5"]));
  });

  it("keeps what a migration revoked, before and after requests", async () => {
    const revoked = async () => {
      const [row] = await services.sql(
        `select has_table_privilege('anon', 'public.notes', 'select') as anon,
                has_table_privilege('authenticated', 'public.notes', 'select') as member,
                has_function_privilege('anon', 'public.for_service()', 'execute') as function`,
      );
      return row;
    };
    const expected = { anon: false, member: true, function: false };
    expect(await revoked()).toEqual(expected);
    expect(await services.get("/rest/v1/notes")).toMatchObject({ status: 401 });
    await services.get("/rest/v1/notes", { key: services.secretKey });
    expect(await services.get("/rest/v1/notes")).toMatchObject({
      status: 401,
      body: { code: "42501" },
    });
    expect(await revoked()).toEqual(expected);
  });

  it("grants new tables to all three roles, as a hosted project does", async () => {
    await services.sql("create table public.later (id int)");
    const [row] = await services.sql(
      `select has_table_privilege('anon', 'public.later', 'insert') as anon,
              has_table_privilege('authenticated', 'public.later', 'delete') as member,
              has_table_privilege('service_role', 'public.later', 'select') as service`,
    );
    expect(row).toEqual({ anon: true, member: true, service: true });
    expect(await services.get("/rest/v1/later")).toEqual({ status: 200, body: [] });
  });

  it("lets policies read the signed-in user, and no one read the auth tables", async () => {
    const member = await services.member("policies@example.test");
    const token = member.access_token;
    expect(await services.post("/rest/v1/notes", { body: "mine" }, { token })).toMatchObject({
      status: 201,
    });
    const { body } = await services.get("/rest/v1/notes?select=body,price,created_at", { token });
    expect(body).toEqual([{ body: "mine", price: 4.5, created_at: isoTime }]);
    expect((await services.post("/rest/v1/rpc/my_email", {}, { token })).body).toBe(
      "policies@example.test",
    );
    const [row] = await services.sql(
      "select has_table_privilege('authenticated', 'auth.users', 'select') as allowed",
    );
    expect(row).toEqual({ allowed: false });
  });

  it("can't write where it reads, and where a function says that it only reads", async () => {
    const isReadOnly = async (answer: Promise<{ body: unknown }>) => (await answer).body;
    expect(await isReadOnly(services.post("/rest/v1/rpc/says_it_reads", {}))).toBe("on");
    expect(await isReadOnly(services.get("/rest/v1/rpc/is_read_only"))).toBe("on");
    expect(await isReadOnly(services.post("/rest/v1/rpc/is_read_only", {}))).toBe("off");
  });

  it("answers database errors in PostgREST's form", async () => {
    const { access_token: token } = await services.member("errors@example.test");
    expect(
      await services.post("/rest/v1/notes", { body: "far longer than twenty" }, { token }),
    ).toMatchObject({
      status: 400,
      body: {
        code: "23514",
        message: 'new row for relation "notes" violates check constraint "notes_body_check"',
        // With row level security, Postgres does not show the row.
        details: null,
        hint: null,
      },
    });
    expect(await services.post("/rest/v1/rpc/refuse", { message: "Not today." })).toEqual({
      status: 400,
      body: { code: "P0001", message: "Not today.", details: "a detail", hint: "a hint" },
    });
    expect(await services.post("/rest/v1/notes", { body: null }, { token })).toMatchObject({
      status: 400,
      body: { code: "23502" },
    });
    const [first] = await services.sql("select word from board where id = 1");
    expect(
      await services.post("/rest/v1/board", { id: 1, ...first }, { key: services.secretKey }),
    ).toMatchObject({ status: 409, body: { code: "23505" } });
  });
});
