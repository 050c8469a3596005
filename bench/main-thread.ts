/**
 * The longest time in which each page and each of the heaviest actions keeps the main thread from answering anyone else.
 * The goal is 50 ms for each request. `npm run bench:main-thread`
 *
 * It runs the built app (`npm run build`) with demo data and tables of 250 rows, one request at a time. Each is sent once
 * while the code behind it has never run, and then some times more. The machine may be busy: see main-thread-probe.mjs.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

import {
  createDecisionBatch,
  fillJobs,
  fillReviewQueue,
  findOwned,
  signIn,
} from "../tests/support/full-tables";
import { adminPaths, ownerPaths, PUBLIC_PATHS } from "../tests/support/page-paths";
import { startApp, type RunningApp } from "../tests/support/running-app";

const GOAL_MS = 50;
const TIMES = 7;
const SHOWN = 10;
const PROBE = fileURLToPath(new URL("main-thread-probe.mjs", import.meta.url));
const FORM_ID = "?draft=5eed0000-0000-4000-9000-000000000000";

type Fields = readonly (readonly [name: string, value: string])[];

interface Measured {
  what: string;
  cookie: string;
  path: string;
  /** Of a form that is sent; without, the page is opened. For each time, since some can't be sent twice. */
  fields?: () => Fields | Promise<Fields>;
  /** Where each time has an address of its own. */
  pathOf?: () => Promise<string>;
}

interface Result {
  what: string;
  status: number;
  first: number;
  median: number;
}

const folder = mkdtempSync(join(tmpdir(), "main-thread-"));
const log = join(folder, "requests");
const app = await startApp({
  MAIN_THREAD_LOG: log,
  NODE_OPTIONS: `--import=${PROBE}`,
  TRUSTED_IP_HEADER: "X-Bench-Address",
});
function report(when: string, results: readonly Result[], valueOf: (one: Result) => number): void {
  const over = results.filter((one) => valueOf(one) > GOAL_MS);
  console.log(
    `\nLongest block of the main thread, ${when}: ${over.length} of ${results.length} over ${GOAL_MS} ms`,
  );
  for (const one of results.toSorted((a, b) => valueOf(b) - valueOf(a)).slice(0, SHOWN))
    console.log(
      `${valueOf(one) > GOAL_MS ? "✘" : "✔"} ${valueOf(one).toFixed(1).padStart(7)} ms  ${one.what} (${one.status})`,
    );
  if (over.length > 0) process.exitCode = 1;
}

async function listRequests(app: RunningApp): Promise<Measured[]> {
  await fillReviewQueue(app);
  await fillJobs(app);
  const { owned, userId } = await findOwned(app);
  const owner = await signIn(app, "owner@demo.test");
  const admin = await signIn(app, "admin@demo.test");
  const batch = await createDecisionBatch(app);

  const pages = [
    ...PUBLIC_PATHS.map((path) => ({ path, cookie: "" })),
    ...ownerPaths(owned).map((path) => ({ path, cookie: owner })),
    ...adminPaths({ edited: owned.edited, user: userId }).map((path) => ({
      path,
      cookie: admin,
    })),
    ...["/admin/new?rows=250", "/admin/pending?rows=250", "/admin/listings?rows=250"].map(
      (path) => ({
        path,
        cookie: admin,
      }),
    ),
    { path: `/admin/decisions/${batch}?action=approve&view=new`, cookie: admin },
    ...["/leads.csv", "/account/purchases.csv", "/privacy/my-data.json"].map((path) => ({
      path,
      cookie: owner,
    })),
    ...["listings", "jobs", "payments", "reports", "feedback", "audit"].map((name) => ({
      path: `/admin/${name}.csv`,
      cookie: admin,
    })),
  ].map(({ path, cookie }) => ({
    what: path.replace(/[0-9a-f-]{36}/, "…"),
    cookie,
    // The form's page redirects to one with an id of the form.
    path: path.endsWith("/new") && !path.startsWith("/admin") ? `${path}${FORM_ID}` : path,
  }));

  const resubmit = (path: string, cookie: string, changes: Record<string, string>) => async () => {
    const { body } = await ask(path, cookie);
    return [...readFields(body).filter(([name]) => !(name in changes)), ...Object.entries(changes)];
  };
  const newListing = `/listings/new${FORM_ID}`;
  const edit = `/listings/${owned.listing}`;
  const signUp = {
    full_name: "Sam",
    phone: "",
    phone_country: "US",
    postalcode: "94114",
    pronouns: "",
  };
  return [
    ...pages,
    action("sign in", "/login", "", { email: "admin@demo.test", password: "rainbow-demo-1" }),
    action("sign in, wrong password", "/login", "", {
      email: "no@demo.test",
      password: "not this one",
    }),
    {
      ...action("sign up", "/signup", "", {}),
      fields: () =>
        Object.entries({
          ...signUp,
          email: `${randomUUID()}@demo.test`,
          password: "correct horse battery 42 staple",
        }),
    },
    action("sign up, a common password", "/signup", "", {
      ...signUp,
      email: "new@demo.test",
      password: "p4ssw0rd!".repeat(7),
    }),
    action("ask for a new password", "/recovery", "", { email: "owner@demo.test" }),
    action("check a phone number", "/phone-check", "", {
      phone: "5055550199",
      phone_country: "US",
    }),
    ...["94114", "1 Main Street, Minneapolis, MN", "san", "Saint-Étienne-du-Bois, France"].map(
      (typed) => action(`find an address: ${typed}`, "/addresses", owner, { typed }),
    ),
    {
      what: "edit a listing",
      path: edit,
      cookie: owner,
      fields: resubmit(edit, owner, { phone: "+1 505-555-0142" }),
    },
    {
      what: "a listing, rejected, with texts as long as they may be",
      path: newListing,
      cookie: owner,
      fields: resubmit(newListing, owner, { name: "", description: "é <b> ".repeat(4_000) }),
    },
    {
      what: "a form of 500 KB",
      path: newListing,
      cookie: owner,
      fields: resubmit(newListing, owner, { description: "x".repeat(500 * 1024) }),
    },
    {
      what: "a form of 2,000 fields",
      path: newListing,
      cookie: owner,
      fields: () => Array.from({ length: 2_000 }, (_, at) => [`field${at}`, "x"] as const),
    },
    {
      what: "approve 250 listings",
      path: "",
      pathOf: async () =>
        `/admin/decisions/${await createDecisionBatch(app)}?action=approve&view=new`,
      cookie: admin,
      fields: () => Object.entries({ intent: "decide", action: "approve" }),
    },
  ];
}

function action(
  what: string,
  path: string,
  cookie: string,
  fields: Record<string, string>,
): Measured {
  return { what, path, cookie, fields: () => Object.entries(fields) };
}

async function measure({ what, path, pathOf, cookie, fields }: Measured): Promise<Result> {
  const took: number[] = [];
  let status = 0;
  for (let times = 0; times <= TIMES; times += 1) {
    const address = pathOf ? await pathOf() : path;
    const form = await fields?.();
    const before = linesOf(log).length;
    ({ status } = await ask(address, cookie, form));
    took.push(await nextLine(before));
  }
  const [first = 0, ...later] = took;
  return {
    what,
    status,
    first,
    median: later.sort((a, b) => a - b)[Math.floor(later.length / 2)]!,
  };
}

/** The complete lines of the log. */
const linesOf = (file: string) =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];

/** Waits for the line of the request that was sent, and then until its work after the response has ended. */
async function nextLine(before: number): Promise<number> {
  for (;;) {
    const line = linesOf(log)[before];
    if (line) {
      await sleep(30);
      return (JSON.parse(line) as { ms: number }).ms;
    }
    await sleep(2);
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#x27": "'",
};
const decode = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => ENTITIES[name]!);
const attributeOf = (tag: string, name: string) => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag);
  return found ? decode(found[1]!) : null;
};

/** The fields of a page's largest form, as they are. */
function readFields(html: string): [name: string, value: string][] {
  const forms = [...html.matchAll(/<form\b[^>]*>.*?<\/form>/gs)].map(([form]) => form);
  const form = forms.sort((a, b) => b.length - a.length)[0] ?? "";
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].flatMap(([tag]): [string, string][] => {
    const isBox = /\stype="(?:checkbox|radio)"/.test(tag);
    const name = attributeOf(tag, "name");
    return name && (!isBox || /\schecked\b/.test(tag))
      ? [[name, attributeOf(tag, "value") ?? "on"]]
      : [];
  });
  const texts = [...form.matchAll(/(<textarea\b[^>]*>)(.*?)<\/textarea>/gs)].map(
    ([, tag, text]): [string, string] => [attributeOf(tag!, "name") ?? "", decode(text!)],
  );
  const lists = [...form.matchAll(/(<select\b[^>]*>)(.*?)<\/select>/gs)].flatMap(
    ([, tag, options]): [string, string][] => {
      const chosen = [...options!.matchAll(/<option\b[^>]*>/g)].find(([option]) =>
        /\sselected\b/.test(option),
      );
      return chosen
        ? [[attributeOf(tag!, "name") ?? "", attributeOf(chosen[0], "value") ?? ""]]
        : [];
    },
  );
  return [...inputs, ...texts, ...lists];
}

let visitors = 0;
function ask(
  path: string,
  cookie: string,
  fields?: Fields,
): Promise<{ status: number; body: string }> {
  visitors += 1;
  const form =
    fields && new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();
  return new Promise((resolve, reject) => {
    const outgoing = send(
      new URL(path, app.url),
      {
        method: form === undefined ? "GET" : "POST",
        agent: false,
        headers: {
          Origin: app.url,
          Cookie: cookie,
          "Accept-Encoding": "gzip",
          // Each comes from an address of its own, so that no limit ends the run.
          "X-Bench-Address": `10.0.${visitors >> 8}.${visitors & 255}`,
          ...(form === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part)).on("error", reject);
        response.on("end", () => {
          const body = Buffer.concat(parts);
          const isZipped = response.headers["content-encoding"] === "gzip";
          resolve({
            status: response.statusCode ?? 0,
            body: (isZipped ? gunzipSync(body) : body).toString(),
          });
        });
      },
    );
    outgoing.on("error", reject).end(form);
  });
}

try {
  const results: Result[] = [];
  for (const one of await listRequests(app)) results.push(await measure(one));
  const failed = results.filter(({ status }) => status >= 400 && status !== 400);
  for (const { what, status } of failed) console.error(`✘ ${what} answered ${status}`);
  report("the first time, while its code is new", results, ({ first }) => first);
  report(`the median of ${TIMES} more`, results, ({ median }) => median);
  if (failed.length > 0) process.exitCode = 1;
} finally {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
}
