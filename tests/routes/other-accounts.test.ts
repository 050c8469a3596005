/**
 * What another account gets from the pages with everything of an owner's: each route with each of their
 * ids, and each form that the owner's pages have. Routes come from the route table and forms from the
 * pages, so new ones are tried without being named here.
 */
import connect from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";

import {
  createEverything,
  type Everything,
  OWNER_EMAIL,
  SECRET,
} from "../database/support/everything";
import { lostRows, rowsOfOthers } from "../database/support/rows-of-others";
import { appRoutes } from "../support/app";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const sql = connect(world.databaseUrl!, { max: 2, onnotice: () => {} });
afterAll(() => sql.end({ timeout: 1 }));

let owner: Member;
let other: Member;
let everything: Everything;

beforeAll(async () => {
  const admin = await world.admin();
  owner = await world.owner({ email: OWNER_EMAIL });
  other = await world.owner();
  everything = await createEverything(sql, admin, owner);
  // Nothing that ends the account, and no email whose delivery would change its row.
  await sql`delete from private.account_deletions`;
  await sql`update private.email_queue set sent_at = now()`;
});

/** These show a form to anyone who has the link, whatever it is about. */
const withIds = appRoutes
  .filter(({ path }) => path.includes(":"))
  .map(({ path }) => path)
  .sort();

it.each(withIds)("%s shows another account nothing of the owner's", async (path) => {
  for (const id of [...everything.numbers, ...everything.uuids]) {
    const url = path.replaceAll(/:\w+/g, String(id));
    const page = await other.page(url);
    expectNothingOf(page.body.replaceAll(url, ""), `GET ${url} (${page.status})`);
  }
});

it("no form of the owner's pages changes anything of the owner's when another account sends it", async () => {
  const forms = await collectForms(owner);
  expect(forms.length).toBeGreaterThan(20);
  for (const { action, fields } of forms) {
    const before = await rowsOfOthers(sql, other.id);
    const answer = await other.submit(action, fields);
    const what = `POST ${action} ${JSON.stringify(fields)} (${answer.status})`;
    // What the form said itself may come back in it.
    const sent = fields.map(([, value]) => value).filter(Boolean);
    const body = sent.reduce((text, value) => text.replaceAll(value, ""), answer.body);
    expectNothingOf(body.replaceAll(action, ""), what);
    expect(await lostRows(sql, other.id, before), what).toEqual([]);
  }
});

function expectNothingOf(body: string, what: string): void {
  const found = [SECRET, ...everything.uuids].filter((known) => body.includes(known));
  expect(found, what).toEqual([]);
}

interface SentForm {
  action: string;
  fields: [name: string, value: string][];
}

/** Every form on the pages that links lead to from the home page, once for each of its buttons. */
async function collectForms(person: Member): Promise<SentForm[]> {
  const seen = new Set<string>(["/"]);
  const queue = ["/"];
  const forms = new Map<string, SentForm>();
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const page = await person.page(path);
    if (page.status !== 200) continue;
    for (const [, link] of page.body.matchAll(/<a\b[^>]*\bhref="(\/[^"]*)"/g)) {
      const url = unescape(link!).replace(/#.*/, "");
      // Sorting and paging lead to the same forms.
      const kind = url.replace(/\?.*/, "");
      if (seen.has(kind) || /\.(json|csv|ics|svg|png)$/.test(kind)) continue;
      seen.add(kind);
      queue.push(url);
    }
    for (const form of formsOf(page.body, path)) forms.set(JSON.stringify(form), form);
  }
  return [...forms.values()].filter(({ action }) => !/^\/(logout|login|leave)/.test(action));
}

function formsOf(html: string, path: string): SentForm[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(([, attributes, content]) => {
    if (!/method="post"/i.test(attributes!)) return [];
    const action = unescape(/\baction="([^"]*)"/.exec(attributes!)?.[1] ?? path);
    const fields = [...content!.matchAll(/<(input|textarea|select)\b([^>]*)>/g)].flatMap(
      ([, , control]): [string, string][] => {
        const name = attribute(control!, "name");
        if (name === undefined) return [];
        const type = attribute(control!, "type");
        if ((type === "checkbox" || type === "radio") && !/\bchecked\b/.test(control!)) return [];
        return [[name, attribute(control!, "value") ?? "on"]];
      },
    );
    const buttons = [...content!.matchAll(/<button\b([^>]*)>/g)].flatMap(
      ([, button]): [string, string][] => {
        const name = attribute(button!, "name");
        return name === undefined ? [] : [[name, attribute(button!, "value") ?? ""]];
      },
    );
    return (buttons.length > 0 ? buttons : [undefined]).map((button) => ({
      action: action.startsWith("?") ? path.replace(/\?.*/, "") + action : action,
      fields: button ? [...fields, button] : fields,
    }));
  });
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : unescape(value);
}

const unescape = (text: string) =>
  text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#x27;", "'");
