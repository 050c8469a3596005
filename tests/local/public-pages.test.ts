import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { PublicPages } from "../../local/public-pages";
import { startLocalSupabase, type LocalSupabase } from "../../local/supabase";

const APP = "http://dashboard.test";

describe("the public directory of the demo", () => {
  let supabase: LocalSupabase;
  let pages: PublicPages;

  beforeAll(async () => {
    supabase = await startLocalSupabase({
      engine: { kind: "pglite" },
      siteUrl: APP,
      seed: "demo",
    });
    pages = new PublicPages(supabase, APP);
  });
  afterAll(() => supabase.stop());

  /** The status and HTML of a page of the directory. */
  async function open(path: string): Promise<{ status: number; html: string }> {
    const answer = await pages.answer(new Request(`${supabase.url}${path}`));
    return { status: answer!.status, html: await answer!.text() };
  }

  /** A listing of the demo in this state, with these values. */
  async function change(condition: string, values: string): Promise<{ id: number; name: string }> {
    const [row] = await supabase.sql(
      `update public.places set ${values}
       where id = (select min(id) from public.places where ${condition}) returning id, name`,
    );
    return row as { id: number; name: string };
  }

  it("shows what anyone can see of a listing, and nothing that only the team sees", async () => {
    const { id } = await change(
      "status = 'published' and not hidden",
      `name = '<b>Fern & Co', description = 'Bread <script>alert(1)</script>', url = 'https://fern.example', instagram = '@fern',
       rawaddress = 'typed-address', mailingaddress = 'mailing-address', owner_email = 'private@owner.example'`,
    );
    const { status, html } = await open(`/places/${id}`);
    expect(status).toBe(200);
    expect(html).toContain("<bdi>&lt;b&gt;Fern &amp; Co</bdi>");
    expect(html).toContain("Bread &lt;script&gt;");
    expect(html).toContain('href="https://fern.example"');
    expect(html).toContain("<dt>Instagram</dt><dd><bdi>@fern</bdi></dd>");
    expect(html).not.toMatch(/typed-address|mailing-address|private@owner/);
    expect((await open("/places")).html).toContain(`href="/places/${id}"`);
  });

  it("has no page for a listing that isn’t live", async () => {
    for (const status of ["new", "flagged", "archived"]) {
      const { id } = await change(`status = '${status}'`, "name = name");
      expect((await open(`/places/${id}`)).status).toBe(404);
    }
    const { id } = await change("status = 'published' and not hidden", "hidden = true");
    expect((await open(`/places/${id}`)).status).toBe(404);
    expect((await open("/places")).html).not.toContain(`href="/places/${id}"`);
  });

  it("shows the approved version while an edit waits for review", async () => {
    const { id } = await change(
      "status = 'pending-update'",
      `name = 'Not approved yet', last_update = last_update || '{"name": "As approved"}'`,
    );
    const { status, html } = await open(`/places/${id}`);
    expect(status).toBe(200);
    expect(html).toContain("As approved");
    expect(html).not.toContain("Not approved yet");
  });

  it("reads no more than the public key may, and answers nothing else", async () => {
    const asked: Request[] = [];
    const watched = new PublicPages(
      {
        ...supabase,
        fetch: (request) => {
          asked.push(request);
          return supabase.fetch(request);
        },
      },
      APP,
    );
    await watched.answer(new Request(`${supabase.url}/places`));
    await watched.answer(new Request(`${supabase.url}/places/1`));
    expect(asked.map(({ url }) => new URL(url).pathname)).toEqual([
      "/rest/v1/public_places",
      "/rest/v1/public_places",
    ]);
    for (const { headers } of asked) {
      expect(headers.get("apikey")).toBe(supabase.publishableKey);
      expect(headers.has("authorization")).toBe(false);
    }
    const others = ["/places/1/x", "/places/1;drop", "/mailbox", "/placesx"];
    for (const path of others)
      expect(await pages.answer(new Request(`${supabase.url}${path}`))).toBeUndefined();
    const posted = new Request(`${supabase.url}/places`, { method: "POST" });
    expect(await pages.answer(posted)).toBeUndefined();
  });
});
