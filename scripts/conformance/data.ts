import { FUNCTIONS, NOT_CALLED } from "./functions";
import { RELATIONS } from "./relations";
import type { Run } from "./run";
import { outcomeOf } from "./wire";

/** The answer to a signed-in user who has no rights at all. */
const REFUSED = "403 42501";

/** What the data API says of whole requests: tokens, and names that do not exist. */
export async function requests(run: Run): Promise<void> {
  const { accounts, wire, target } = run;
  const { tokens } = await accounts.create();
  const token = tokens.accessToken;
  const ask = (what: string, expected: string, path: string, as?: string, body?: unknown) =>
    run.answer(
      what,
      expected,
      wire.data(body === undefined ? "GET" : "POST", path, { body, ...(as ? { token: as } : {}) }),
    );
  await ask("a token that is none", "401 PGRST301", "categories?limit=1", "garbled");
  await ask(
    "a token with another signature",
    "401 PGRST301",
    "categories?limit=1",
    `${token.slice(0, -8)}AAAAAAAA`,
  );
  await ask("a relation that does not exist", "404 PGRST205", "no_such_table");
  await ask("a column that does not exist", "400 42703", "categories?select=no_such_column");
  await ask("a function that does not exist", "404 PGRST202", "rpc/no_such_function", token, {});
  await ask("an argument that does not exist", "404 PGRST202", "rpc/my_home", token, {
    no_such: 1,
  });
  await ask("an argument of the wrong kind", "400 22P02", "rpc/get_user_count_by_distance", token, {
    place_id: "x",
  });
  await ask("one row where there is none", "200", "places?id=eq.-1", token);
  await ask("a value of the wrong kind", "400 22P02", "places?id=eq.x", token);

  const { body } = await wire.data("GET", "", { token: target.secretKey });
  run.equal("the API lists what it has", "yes", body["paths"] ? "yes" : "no");
  if (typeof body["paths"] !== "object" || body["paths"] === null) return;
  const served = Object.keys(body["paths"]).flatMap(
    (path) => path.match(/^\/(?:rpc\/)?(\w+)$/)?.[1] ?? [],
  );
  const known: string[] = [...Object.keys(FUNCTIONS), ...Object.keys(RELATIONS)];
  const only = (names: string[], others: string[]) =>
    names
      .filter((name) => !others.includes(name))
      .sort()
      .join(" ") || "none";
  run.equal("what the API lacks", "none", only(known, served));
  run.equal("what the API has besides", "none", only(served, known));
}

/** Every table and view: who may read it, and that no visitor may change it. */
export async function relations(run: Run): Promise<void> {
  const { wire, target } = run;
  const user = (await run.accounts.create()).tokens.accessToken;
  for (const [name, { key, column, ...contract }] of Object.entries(RELATIONS)) {
    const read = async (limit: number, token?: string) => {
      const answer = await wire.data("GET", `${name}?limit=${limit}`, token ? { token } : {});
      return { outcome: outcomeOf(answer), rows: Object.keys(answer.body).length };
    };
    run.equal(`${name}, as a visitor`, contract.visitors, (await read(1)).outcome);
    const { outcome, rows } = await read(2, user);
    // How many rows everyone may read is not part of the contract.
    const counts = outcome === "200" && contract.visitors !== "200";
    run.equal(
      `${name}, as a user`,
      contract.users,
      counts ? `${outcome} (rows: ${rows})` : outcome,
    );
    run.equal(`${name}, as the server`, contract.server, (await read(0, target.secretKey)).outcome);

    // No row meets these conditions, and no answer to a visitor may depend on that.
    const none = `${name}?${key}=is.null`;
    const body = { [column]: null };
    const refused = contract.unwritable ? "500 55000" : "401 42501";
    await run.answer(`adding to ${name}, as a visitor`, refused, wire.data("POST", name, { body }));
    await run.answer(`changing ${name}, as a visitor`, refused, wire.data("PATCH", none, { body }));
    await run.answer(`deleting from ${name}, as a visitor`, refused, wire.data("DELETE", none));
  }
}

/** Every function: what it answers to visitors, to a user without any rights, and to the server. */
export async function functions(run: Run): Promise<void> {
  const { wire, target } = run;
  const account = await run.accounts.create();
  for (const [name, contract] of Object.entries(FUNCTIONS)) {
    const { args, users = REFUSED, server = REFUSED } = contract;
    const body = typeof args === "function" ? args(account) : args;
    const call = (token?: string) =>
      wire.data("POST", `rpc/${name}`, { body, ...(token ? { token } : {}) });
    await run.answer(`${name}, as a visitor`, "401 42501", call());
    await run.answer(`${name}, as a user`, users, call(account.tokens.accessToken));
    if (server !== NOT_CALLED)
      await run.answer(`${name}, as the server`, server, call(target.secretKey));
  }
}
