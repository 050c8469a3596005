/**
 * What the lookup of the session in policies adds to an owner's pages: the pages of the demo's owner, requested from the
 * built app over a real Postgres, with the session looked up and with the token believed, in turn. `npm run bench:owner`
 */
import connect from "postgres";

import { signIn } from "../tests/support/full-tables";
import { startPostgres } from "../tests/support/postgres";
import { startApp } from "../tests/support/running-app";

import { TRUST_THE_TOKEN } from "./trust-the-token";

const PAGES = ["/", "/listings", "/leads", "/jobs"];
const ROUNDS = 12;
const REQUESTS = 20;
/** Each connection to the database makes its plans anew after a function has changed, and keeps them from the sixth call on. */
const WARM_UP = 30;

const postgres = await startPostgres();
const url = await postgres.createDatabase({ name: "bench" });
const app = await startApp({ DATABASE_URL: url });
const sql = connect(url, { max: 1, onnotice: () => {} });
try {
  process.exitCode = (await measure()) ? 0 : 1;
} finally {
  await sql.end();
  await app.stop();
  await postgres.stop();
}

async function measure(): Promise<boolean> {
  const [{ definition: lookUp } = { definition: "" }] = await sql<{ definition: string }[]>`
    select pg_get_functiondef('private.user_id()'::regprocedure) as definition`;
  const cookie = await signIn(app, "owner@demo.test");
  let isWithin = true;
  console.log(
    `The lookup of the session${"without".padStart(14)}${"with".padStart(12)}${"added".padStart(12)}   at most`,
  );
  for (const path of PAGES) {
    const took: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [index, definition] of [TRUST_THE_TOKEN, lookUp].entries()) {
        await sql.unsafe(definition);
        for (let number = -WARM_UP; number < REQUESTS; number += 1) {
          const begun = performance.now();
          const response = await fetch(app.url + path, { headers: { cookie }, redirect: "manual" });
          await response.arrayBuffer();
          if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
          if (number >= 0) took[index]!.push(performance.now() - begun);
        }
      }
    const [without, withIt] = took.map((times) => times.sort((a, b) => a - b)) as [
      number[],
      number[],
    ];
    // Measurable is what is more than the middle half of the responses without it differ from each other.
    const added = quarter(withIt, 2) - quarter(without, 2);
    const spread = quarter(without, 3) - quarter(without, 1);
    isWithin &&= added <= spread;
    const cells = [quarter(without, 2), quarter(withIt, 2), added, spread];
    console.log(`${added <= spread ? "✔" : "✘"} ${path.padEnd(24)}${cells.map(ms).join("")}`);
  }
  return isWithin;
}

function quarter(sorted: readonly number[], which: 1 | 2 | 3): number {
  return sorted[Math.floor((sorted.length * which) / 4)]!;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`.padStart(12);
}
