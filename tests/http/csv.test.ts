import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

import { writeReadableStreamToWritable } from "@remix-run/node";
import { describe, expect, it } from "vitest";

import { csvDownload } from "~/http/csv.server";
import { REQUEST_ID_HEADER } from "~/http/internal-headers.server";
import { trackResponse } from "~/http/backpressure.server";
import { callUpstream } from "~/integrations/upstream/call-upstream.server";
import { createScope, runInScope } from "~/integrations/upstream/request-scope.server";

const request = (init: RequestInit = {}) => new Request("https://dashboard.test/t.csv", init);
const columns = [{ header: "Name", cell: (name: string) => name }];

describe("a CSV download", () => {
  it.each([
    ...["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "＋1", "－1", "＠SUM(A1)", "−1"],
    ...["\n=1", "\r\n=1", "\n\n@SUM(A1)", " =1", "\u00a0=1", "\u200b=1", "\ufeff=1", "\u3000＝1"],
    ...["\u0000=1", "\u001b=1", "\u2028=1", "\t", "\ttext", "\ntext"],
  ])("turns %j, which a spreadsheet would run, into text", async (name) => {
    async function* rows() {
      yield [name];
    }
    const text = await (await csvDownload(request(), "t", columns, rows())).text();
    expect(text.slice(text.indexOf("\r\n") + 2)).toMatch(/^"?'/);
  });

  it.each([
    ["a;=1+1", "a;'=1+1"],
    ['a; "=1+1"', 'a; "\'=1+1"'],
    ["a;\u200b＝1", "a;\u200b'＝1"],
    ["a\n=1;@x", "a\n'=1;'@x"],
    ["a\r\n\r\n+1\u2028-2", "a\r\n\r\n'+1\u2028'-2"],
    ["a\t=1", "a\t'=1"],
    [";=1", ";'=1"],
  ])(
    "turns the formula in %j into text, which a spreadsheet with other separators would run",
    async (name, shown) => {
      async function* rows() {
        yield [name];
      }
      const text = await (await csvDownload(request(), "t", columns, rows())).text();
      expect(text.slice(text.indexOf("\r\n") + 2).replaceAll('""', '"')).toContain(shown);
    },
  );

  it("reads a long gap in a text once", async () => {
    // Read again from each of its characters, it would take minutes.
    const gap = "\n \t".repeat(200_000);
    async function* rows() {
      yield [`a${gap}b`];
    }
    const text = await (await csvDownload(request(), "t", columns, rows())).text();
    expect(text).toContain(gap);
  });

  it.each(["1 = 1", "Café – and more", "a\nb; c = d", "5 + 5", "name@example.test"])(
    "leaves %j as it is",
    async (name) => {
      async function* rows() {
        yield [name];
      }
      const text = await (await csvDownload(request(), "t", columns, rows())).text();
      expect(text).toContain(name);
      expect(text).not.toContain("'");
    },
  );

  it("that has begun goes on when the time of a request is over", async () => {
    const scope = createScope("long");
    const read = (name: string) =>
      callUpstream({ service: "database", name: "rows", limitMs: 1_000 }, async () => [name]);
    async function* rows() {
      yield await read("first");
      yield await read("second");
    }
    const text = await runInScope(scope, async () => {
      const response = await csvDownload(request(), "t", columns, rows());
      if (scope.deadline < Infinity) scope.deadline = 0;
      return response.text();
    });
    expect(text).toContain("second");
  });

  it("of many rows leaves turns to other requests", async () => {
    async function* rows() {
      yield Array.from({ length: 200 }, (_, index) => `row ${index}`);
    }
    let turns = 0;
    let timer = setImmediate(function count() {
      turns += 1;
      timer = setImmediate(count);
    });
    const formatted: number[] = [];
    const cell = (name: string) => {
      formatted[turns] = (formatted[turns] ?? 0) + 1;
      return name;
    };
    await (await csvDownload(request(), "t", [{ header: "Name", cell }], rows())).text();
    clearImmediate(timer);
    expect(Math.max(...formatted.filter(Boolean))).toBeLessThanOrEqual(20);
  });

  it("leaves numbers as they are", async () => {
    async function* rows() {
      yield [-5];
    }
    const numbers = [{ header: "Amount", cell: (amount: number) => amount }];
    expect(await (await csvDownload(request(), "t", numbers, rows())).text()).toContain("\r\n-5");
  });

  it.each(["two\nlines", "two\rlines", "two\r\nlines", 'with "quotes"', "a,b", "a;b\nc"])(
    "quotes %j",
    async (name) => {
      async function* rows() {
        yield [name];
      }
      const text = await (await csvDownload(request(), "t", columns, rows())).text();
      expect(text).toBe(`Name\r\n"${name.replaceAll('"', '""')}"\r\n`);
    },
  );

  it("fails before it is sent when the first rows cannot be read", async () => {
    const rows: AsyncIterable<string[]> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("no answer")) }),
    };
    await expect(csvDownload(request(), "t", columns, rows)).rejects.toThrow("no answer");
  });

  it("is aborted when later rows cannot be read, so that half a table never looks complete", async () => {
    async function* rows() {
      yield ["first"];
      throw new Error("no answer");
    }
    await expect((await csvDownload(request(), "t", columns, rows())).text()).rejects.toThrow();
  });

  it("reads rows while it is sent, and stops when it is canceled", async () => {
    let read = 0;
    let ended = false;
    async function* rows() {
      try {
        for (;;) {
          read += 1;
          yield Array.from({ length: 1000 }, (_, row) => `row ${row} of batch ${read}`);
        }
      } finally {
        ended = true;
      }
    }
    const body = (await csvDownload(request(), "t", columns, rows())).body!.getReader();
    await body.read();
    await wait(50);
    const before = read;
    expect(before).toBeLessThan(50);
    await body.cancel();
    await expect.poll(() => ended).toBe(true);
    expect(read).toBeLessThanOrEqual(before + 1);
  });

  it("stops reading when the request is aborted", async () => {
    const leaving = new AbortController();
    let read = 0;
    async function* rows() {
      for (;;) {
        read += 1;
        if (read === 3) leaving.abort();
        yield ["row"];
      }
    }
    // The server accepts more although the client is gone, so the reading must stop by itself.
    await (await csvDownload(request({ signal: leaving.signal }), "t", columns, rows())).text();
    expect(read).toBe(3);
  });

  it("reads rows no faster than the client receives them", async () => {
    let read = 0;
    async function* rows() {
      for (; read < 1_000; read++)
        yield Array.from(
          { length: 1_000 },
          (_, row) => `row ${row} of batch ${read} ${"x".repeat(100)}`,
        );
    }
    const server = createServer((_, response) => {
      const id = "the one";
      trackResponse(id, response);
      void csvDownload(
        request({ headers: { [REQUEST_ID_HEADER]: id } }),
        "t",
        columns,
        rows(),
      ).then(({ body }) => writeReadableStreamToWritable(body!, response));
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    // A client that sends a request and then receives nothing.
    const reader = connect((server.address() as AddressInfo).port, "127.0.0.1", () =>
      reader.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    );
    reader.pause();
    await expect.poll(() => read).toBeGreaterThan(0);
    for (let before = -1; before !== read;) {
      before = read;
      await wait(250);
    }
    expect(read).toBeLessThan(500);
    reader.destroy();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
});
