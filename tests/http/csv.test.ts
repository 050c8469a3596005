import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

import { writeReadableStreamToWritable } from "@remix-run/node";
import { describe, expect, it } from "vitest";

import { csvDownload } from "~/http/csv.server";
import { REQUEST_ID_HEADER } from "~/http/internal-headers.server";
import { trackResponse } from "~/http/backpressure.server";

const asking = (init: RequestInit = {}) => new Request("https://dashboard.test/t.csv", init);
const columns = [{ header: "Name", cell: (name: string) => name }];

describe("a table as a download", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1"])(
    "makes text of %j, which a spreadsheet would run",
    async (name) => {
      async function* rows() {
        yield [name];
      }
      const [, line] = (await (await csvDownload(asking(), "t", columns, rows())).text()).split(
        "\r\n",
      );
      expect(line).toMatch(/^"?'/);
    },
  );

  it.each(["two\nlines", "two\rlines", "two\r\nlines", 'with "quotes"', "a,b", "a;b\nc"])(
    "keeps %j in one cell",
    async (name) => {
      async function* rows() {
        yield [name];
      }
      const text = await (await csvDownload(asking(), "t", columns, rows())).text();
      expect(text).toBe(`Name\r\n"${name.replaceAll('"', '""')}"\r\n`);
    },
  );

  it("fails as a whole when the first rows cannot be read", async () => {
    const rows: AsyncIterable<string[]> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("no answer")) }),
    };
    await expect(csvDownload(asking(), "t", columns, rows)).rejects.toThrow("no answer");
  });

  it("breaks off when later rows cannot be read, so that a partial table never looks complete", async () => {
    async function* rows() {
      yield ["first"];
      throw new Error("no answer");
    }
    await expect((await csvDownload(asking(), "t", columns, rows())).text()).rejects.toThrow();
  });

  it("reads rows as they are sent, and stops when the download is canceled", async () => {
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
    const body = (await csvDownload(asking(), "t", columns, rows())).body!.getReader();
    await body.read();
    await wait(50);
    const before = read;
    expect(before).toBeLessThan(50);
    await body.cancel();
    await expect.poll(() => ended).toBe(true);
    expect(read).toBeLessThanOrEqual(before + 1);
  });

  it("stops reading rows once the client has disconnected", async () => {
    const leaving = new AbortController();
    let read = 0;
    async function* rows() {
      for (;;) {
        read += 1;
        if (read === 3) leaving.abort();
        yield ["row"];
      }
    }
    // The server keeps accepting output that it cannot send, so the stream must end by itself.
    await (await csvDownload(asking({ signal: leaving.signal }), "t", columns, rows())).text();
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
      void csvDownload(asking({ headers: { [REQUEST_ID_HEADER]: id } }), "t", columns, rows()).then(
        ({ body }) => writeReadableStreamToWritable(body!, response),
      );
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    // A client that sends a request and then reads nothing.
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
