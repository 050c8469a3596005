/** What people and machines type into fields: kept as it is, or refused in words; never a 500. */
import { describe, expect, it } from "vitest";

import { toLines, toOneLine } from "~/text/one-line";

import { accountForm, listingForm, signUpForm } from "../support/forms";
import { createWorld } from "../support/world";

const world = await createWorld();

const hostile: [string, string][] = [
  ["markup", `<img src=x onerror=alert(1)><b>bold</b>`],
  ["the end of a script", `</script><script>alert(1)</script>`],
  ["the end of a comment", `--> <!-- ]]>`],
  ["quotes and entities", `"'\`&amp;&lt;&#39;\\" onfocus="alert(1)`],
  ["line separators", "one\u2028two\u2029three"],
  ["right-to-left marks", "abc\u202Egpj.exe\u202C \u200Fمقهى قوس قزح"],
  ["emoji", "🏳️‍🌈🏳️‍⚧️👩🏽‍❤️‍💋‍👩🏿"],
  ["apostrophes", "O’Hara's Café “Élan”"],
  ["combining accents", "Zoe\u0308 A\u030Angstro\u0308m"],
  ["templates", "${1+1} {{7*7}} #{x} %s %00 \\u0000"],
  ["SQL", `'; drop table places; -- ' or '1'='1`],
];

describe.each(hostile)("%s", (_, text) => {
  const line = toOneLine(text);

  it("in a listing is kept as typed, or as one line, and shown escaped", async () => {
    const owner = await world.owner();
    const fields = { name: text, description: text, phone: "+1 201 555 0123" };
    expect(await owner.post("/listings/new", listingForm(fields))).toRedirectTo("/");
    const [saved] = await world.sql("select * from public.places where owner = $1", [owner.id]);
    expect(saved).toMatchObject({ ...fields, name: line, description: toLines(text) });

    const pages = [
      await owner.page("/listings"),
      await owner.page(`/listings/${String(saved!["id"])}`),
    ];
    for (const page of pages) {
      expect(page).toHaveStatus(200);
      expect(page.body).not.toContain("<img src=x");
      expect(page.body).not.toContain("<script>alert(1)");
      // Inside of a script these end a line.
      expect(page.body.match(/<script\b[^>]*>[^<]*[\u2028\u2029]/)).toBeNull();
    }
    expect(pages[1]!.value("name")).toBe(line);
  });

  it("in a profile is kept as one line, and shown escaped", async () => {
    const owner = await world.owner();
    expect(
      await owner.post("/account", accountForm({ email: owner.email, full_name: text })),
    ).toRedirectTo("/account");
    expect(await world.row("profiles", owner.id)).toMatchObject({ full_name: line });
    const page = await owner.page("/account");
    expect(page.value("full_name")).toBe(line);
    expect(page.body).not.toContain("<script>alert(1)");
  });

  it("in a refused form comes back as typed", async () => {
    const owner = await world.owner();
    const page = await owner.submit("/listings/new", { name: text, rawaddress: text });
    expect(page).toHaveStatus(400);
    expect(page.value("name")).toBe(text);
    expect(page.value("rawaddress")).toBe(text);
    expect(page.body).not.toContain("<script>alert(1)");
  });

  it("in an address is not shown as markup", async () => {
    const page = await world.anonymous().page(`/login?redirectTo=${encodeURIComponent(text)}`);
    expect(page).toHaveStatus(200);
    expect(page.body).not.toContain("<script>alert(1)");
  });
});

describe("too much", () => {
  const forms: [string, Record<string, string>][] = [
    ["/login", { email: "a@example.test", password: "x" }],
    ["/signup", signUpForm()],
    ["/recovery", { email: "a@example.test" }],
  ];

  it.each(forms)("of one field is refused at %s", async (path, fields) => {
    const person = world.anonymous();
    for (const name of Object.keys(fields)) {
      const response = await person.post(path, { ...fields, [name]: "x".repeat(1_000_000) });
      expect(response.status, name).toBeOneOf([400, 413]);
    }
  });

  it("of one field is refused by a listing, however it is sent", async () => {
    const owner = await world.owner();
    const form = listingForm({ description: "x".repeat(1_000_000) });
    expect(await owner.post("/listings/new", form)).toHaveStatus(413);

    const body = new FormData();
    for (const [name, value] of Object.entries(form)) body.append(name, value);
    const encoded = new Response(body);
    const sent = {
      body: await encoded.text(),
      headers: { "Content-Type": encoded.headers.get("Content-Type")! },
    };
    expect(await owner.post("/listings/new", undefined, sent)).toHaveStatus(413);
    expect(await world.sql("select id from public.places where owner = $1", [owner.id])).toEqual(
      [],
    );
  });

  it("that doesn't state its size is cut off", async () => {
    const owner = await world.owner();
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(97));
        if (sent > 50_000_000) controller.close();
      },
    });
    const response = await owner.post("/account", undefined, {
      body: endless,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    });
    expect(response).toHaveStatus(413);
    expect(sent).toBeLessThan(2_000_000);
  });

  it("of fields is refused", async () => {
    const owner = await world.owner();
    const fields = Array.from({ length: 10_000 }, (_, i): [string, string] => [`f${i}`, "x"]);
    expect(await owner.post("/listings/new", fields)).toHaveStatus(413);
    expect(
      (
        await owner.post(
          "/listings/new",
          Array.from({ length: 10_000 }, (): [string, string] => ["name", "x"]),
        )
      ).status,
    ).toBe(413);
  });
});

describe("a form that no page of ours sends", () => {
  it.each([
    [
      "a field twice",
      [
        ["name", "One"],
        ["name", "Two"],
      ],
    ],
    [
      "a field as a list",
      [
        ["name[]", "One"],
        ["name[0]", "Two"],
      ],
    ],
    [
      "a field as an object",
      [
        ["name[a]", "One"],
        ["name.b", "Two"],
      ],
    ],
    [
      "__proto__",
      [
        ["__proto__", "x"],
        ["__proto__[admin]", "true"],
        ["constructor.prototype.admin", "true"],
      ],
    ],
    ["a deep path", [[`a${"[b]".repeat(500)}`, "x"]]],
    [
      "a huge index",
      [
        ["licensed_locations[4294967295]", "California"],
        ["licensed_locations[1e9]", "x"],
      ],
    ],
    [
      "NUL",
      [
        ["name", "a\u0000b"],
        ["n\u0000me", "x"],
      ],
    ],
    [
      "lone surrogates",
      [
        ["name", "a\uD800b"],
        ["rawaddress", "\uDFFF"],
      ],
    ],
    [
      "an empty name",
      [
        ["", "x"],
        ["=", "y"],
      ],
    ],
    ["nothing", []],
  ] as [string, [string, string][]][])(
    "with %s is taken or refused, never a failure of ours",
    async (_, fields) => {
      const owner = await world.owner();
      for (const path of ["/listings/new", "/account"]) {
        const base = Object.entries(
          path === "/account" ? accountForm({ email: owner.email }) : listingForm(),
        );
        const response = await owner.submit(path, [
          ...base.filter(([name]) => !fields.some(([other]) => other === name)),
          ...fields,
        ]);
        expect(response.status, `${path}: ${response.text.slice(0, 200)}`).toBeLessThan(500);
      }
      expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
      expect(await world.row("profiles", owner.id)).toMatchObject({ admin: false });
    },
  );

  it.each([
    ["application/x-www-form-urlencoded", "%%%=%zz&=&&&==%u0041"],
    ["application/x-www-form-urlencoded; charset=utf-16", "name=x"],
    ["multipart/form-data", "no boundary"],
    ["multipart/form-data; boundary=x", "--x\r\nnonsense"],
    [
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="name"; filename="a.html"\r\n\r\n<b>\r\n--x--\r\n',
    ],
    ["application/json", '{"name":"x"}'],
    ["text/xml", "<x/>"],
  ])("of type %s (%j) is refused in words", async (type, body) => {
    const owner = await world.owner();
    const response = await owner.submit("/listings/new", undefined, {
      body,
      headers: { "Content-Type": type },
    });
    expect(response.status).toBeOneOf([400, 415]);
  });
});
