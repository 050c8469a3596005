import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { readForm } from "~/http/body.server";
import { parseForm, formErrorResponse } from "~/http/form.server";

const URLENCODED = "application/x-www-form-urlencoded";

const post = (
  body: BodyInit | null,
  type: string | null = URLENCODED,
  headers: Record<string, string> = {},
) =>
  new Request("https://dashboard.test/account", {
    method: "POST",
    body,
    headers: { ...(type === null ? {} : { "Content-Type": type }), ...headers },
    duplex: "half",
  });

const readFields = async (request: Request) => [...(await readForm(request))];
const encode = (...fields: [string, string][]) => new URLSearchParams(fields).toString();

function drip(chunk: Uint8Array, times: number) {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === times) return controller.close();
      sent += 1;
      controller.enqueue(chunk);
    },
  });
  return { body, sent: () => sent };
}

describe("readForm", () => {
  it("returns all fields as they were typed, in both encodings", async () => {
    const fields: [string, string][] = [
      ["name", "Zoë’s Café 🏳️‍🌈 \u202Eabc\u2028</script>"],
      ["tag", "a"],
      ["tag", "b"],
      ["empty", ""],
    ];
    const multipart = new FormData();
    for (const [name, value] of fields) multipart.append(name, value);
    const encoded = new Response(multipart);
    expect(await readFields(post(encode(...fields)))).toEqual(fields);
    expect(
      await readFields(post(await encoded.clone().text(), encoded.headers.get("Content-Type"))),
    ).toEqual(fields);
  });

  it("preserves any text except NUL, which Postgres cannot store", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
        const [field] = await readFields(post(encode(["about", text])));
        expect(field).toEqual(["about", text.replaceAll("\r\n", "\n").replaceAll("\u0000", "")]);
      }),
    );
    expect(await readFields(post("about=a%00b%ED%A0%80c%0D%0Ad"))).toEqual([
      ["about", "ab\uFFFD\uFFFD\uFFFDc\nd"],
    ]);
  });

  it("ignores files", async () => {
    const form = new FormData();
    form.append("name", new File(["<b>"], "a.html"));
    const encoded = new Response(form);
    expect(
      await readFields(post(await encoded.text(), encoded.headers.get("Content-Type"))),
    ).toEqual([]);
  });
});

describe("a form that is too large", () => {
  it("is rejected by its Content-Length, before its body is read", async () => {
    const { body, sent } = drip(new Uint8Array(10), 10);
    const before = sent();
    await expect(
      readForm(post(body, URLENCODED, { "Content-Length": "1048576" })),
    ).rejects.toMatchObject({ status: 413 });
    expect(sent() - before).toBeLessThan(2);
  });

  it("is rejected while it is read when it has no Content-Length", async () => {
    const { body, sent } = drip(new Uint8Array(64 * 1024).fill(97), 1_000);
    await expect(readForm(post(body))).rejects.toMatchObject({ status: 413 });
    expect(sent()).toBeLessThan(20);
  });

  it("is rejected for one megabyte in one field, and for ten thousand fields", async () => {
    await expect(readForm(post(encode(["about", "x".repeat(1_000_000)])))).rejects.toMatchObject({
      status: 413,
    });
    await expect(readForm(post(`${"a=&".repeat(10_000)}`))).rejects.toMatchObject({ status: 413 });
  });

  it("is rejected sooner where a small one is expected", async () => {
    const body = encode(["password", "ab".repeat(50_000)]);
    await expect(readForm(post(body), 32 * 1024)).rejects.toMatchObject({ status: 413 });
    expect(await readFields(post(body))).toHaveLength(1);
  });

  it("does not include a long listing with every checkbox checked", async () => {
    const boxes = Array.from({ length: 250 }, (_, i): [string, string] => ["listing", `${i}:1`]);
    expect(await readFields(post(encode(["about", "é".repeat(50_000)], ...boxes)))).toHaveLength(
      251,
    );
  });
});

describe("a body that is not a form", () => {
  it.each([
    "application/json",
    "text/plain",
    "text/plain; x=application/x-www-form-urlencoded",
    null,
  ])("is rejected with 415: %s", async (type) => {
    await expect(readForm(post("{}", type))).rejects.toMatchObject({ status: 415 });
  });

  it.each([
    ["multipart/form-data", "--x--"],
    [
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\ncut o',
    ],
  ])("is rejected with 400 when it is damaged: %s, %j", async (type, body) => {
    await expect(readForm(post(body, type))).rejects.toMatchObject({ status: 400 });
  });
});

/** The objects, lists, and values in a value; a hole in a list counts as well. */
function countParts(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const parts: unknown[] = Array.isArray(value) ? Array.from(value) : Object.values(value);
  return parts.reduce((total: number, part) => total + countParts(part), 1);
}

describe("a field name", () => {
  const schema = z.object({ name: z.string(), tags: z.array(z.string()).optional() });

  it.each([
    "__proto__",
    "__proto__[admin]",
    "a.constructor.prototype.admin",
    "tags[2000000]",
    "tags[4294967294]",
    `a${".b".repeat(50_000)}`,
    "__intent__",
    "__state__",
  ])("that could do harm is ignored: %s", async (name) => {
    const started = performance.now();
    const form = await readForm(post(encode(["name", "Café X"], [name, "{"])));
    expect([...form.keys()]).toEqual(["name"]);
    const submission = parseForm(form, schema);
    expect(submission.status).toBe("success");
    expect((await formErrorResponse(submission).text()).length).toBeLessThan(1_000);
    // Reading a field of such a name in full would take far longer, or never end.
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it.each([
    "tags[0]",
    "tags[]",
    "a.b[3].c",
    "a.b",
    "a0" + "[999]".repeat(18),
    "toString",
    "hasOwnProperty",
    "name ",
    "",
    "é",
    "x".repeat(101),
  ])("that no form of ours has is ignored: %j", async (name) => {
    expect([...(await readForm(post(encode([name, "x"])))).keys()]).toEqual([]);
  });

  it.each(["tags", "phone_country", "redirectTo", "cf-turnstile-response", "constructors"])(
    "of the usual kind is read: %s",
    async (name) => {
      expect([...(await readForm(post(encode([name, "x"])))).keys()]).toEqual([name]);
    },
  );

  // What conform makes of a form has as many parts as the form has fields, whatever their names.
  it("rejects a form whose sender went away in the middle, which is no failure of ours", async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("name=Caf"));
        controller.error(new Error("aborted"));
      },
    });
    await expect(readForm(post(body))).rejects.toMatchObject({ status: 400 });
  });

  it("never makes a form larger than it was sent", async () => {
    const path = fc
      .array(
        fc.oneof(
          fc.constantFrom("[]", ".", "[", "]", "[0]", "[999]", ".length", "[-1]", "[1e3]"),
          fc.nat(5_000).map((index) => `[${index}]`),
          fc.string({ maxLength: 5 }),
        ),
        { maxLength: 20 },
      )
      .map((parts) => parts.join(""));
    const name = fc
      .tuple(fc.constantFrom("", "a", "name", "tags"), path)
      .map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 50 }), async (names) => {
        const form = await readForm(
          post(encode(...names.map((one): [string, string] => [one, "1"]))),
        );
        const { payload } = parseForm(form, schema);
        expect(countParts(payload)).toBeLessThanOrEqual(2 * names.length + 1);
      }),
    );
  });

  it("that contains “password” is never sent back with its value", async () => {
    const form = await readForm(
      post(
        encode(
          ["name", "x"],
          ["password[0]", "hunter2-a"],
          ["password.x", "hunter2-b"],
          ["confirm_password", "hunter2-c"],
        ),
      ),
    );
    expect(await formErrorResponse(parseForm(form, schema)).text()).not.toContain("hunter2");
  });
});
