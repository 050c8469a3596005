/** The built product behind its real server: what Express and Node answer by themselves, too. */
import { readdirSync, readFileSync } from "node:fs";
import { Agent, get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startLocalSupabase } from "../../local/supabase";
import { HOSTED_SETTINGS } from "../support/hosted-settings";
import { startAppOver, type StartedApp } from "../support/running-app";

const HEADERS = [
  "content-security-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "permissions-policy",
  "referrer-policy",
  "x-content-type-options",
  "x-frame-options",
  "x-robots-tag",
  "cache-control",
];
const MEGABYTE = 1_024 * 1_024;

const settings = { ...HOSTED_SETTINGS, LOG_LEVEL: "info" };

const assetFolder = new URL("../../build/client/assets/", import.meta.url);
let app: StartedApp;
beforeAll(async () => {
  app = await startAppOver(settings);
});
afterAll(() => app.stop());

interface RawAnswer {
  status: number;
  head: string;
  body: string;
  /** Whether the server closed the connection without an error. */
  closed: boolean;
}

/** Sends these bytes over a connection of its own, and reads until the server closes it. */
function send(head: string, body?: { bytes: number; chunked?: boolean }): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = "";
    const answer = (closed: boolean) => {
      const [first = "", ...rest] = text.split("\r\n\r\n");
      resolve({
        status: Number(first.split(" ")[1]),
        head: first.toLowerCase(),
        body: rest.join("\r\n\r\n"),
        closed,
      });
    };
    const socket = connect(Number(new URL(app.url).port), "127.0.0.1", () => {
      socket.write(head);
      if (!body) return;
      const piece = Buffer.alloc(64 * 1_024, "a");
      const wrapped = body.chunked
        ? Buffer.concat([Buffer.from("10000\r\n"), piece, Buffer.from("\r\n")])
        : piece;
      for (let sent = 0; sent < body.bytes; sent += piece.length) socket.write(wrapped);
      if (body.chunked) socket.write("0\r\n\r\n");
    });
    socket.setEncoding("utf8").on("data", (part: string) => (text += part));
    socket.on("error", () => answer(false));
    socket.on("end", () => answer(true));
  });
}

const close = "Connection: close\r\n\r\n";
const assets = readdirSync(assetFolder);
const nameOf = (kind: RegExp) => `/assets/${assets.find((name) => kind.test(name))}`;
const asset = nameOf(/\.css$/);

describe("every response has each security header once", () => {
  it.each([
    ["a page", "GET /login HTTP/1.1\r\nHost: localhost\r\n", 200],
    ["a redirect", "GET /listings HTTP/1.1\r\nHost: localhost\r\n", 302],
    ["a data request", "GET /login.data HTTP/1.1\r\nHost: localhost\r\n", 200],
    ["a resource", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n", 200],
    ["a page that does not exist", "GET /assets/none.js HTTP/1.1\r\nHost: localhost\r\n", 404],
    ["a style sheet", `GET ${asset} HTTP/1.1\r\nHost: localhost\r\n`, 200],
    ["an image", "GET /apple-touch-icon.png HTTP/1.1\r\nHost: localhost\r\n", 200],
    ["an icon", "GET /favicon.ico HTTP/1.1\r\nHost: localhost\r\n", 200],
    [
      "a form for no route",
      "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n",
      405,
    ],
    ["another method", "PROPFIND /login HTTP/1.1\r\nHost: localhost\r\n", 405],
    ["TRACE", "TRACE / HTTP/1.1\r\nHost: localhost\r\n", 405],
    ["an address that can't be decoded", "GET /%ff HTTP/1.1\r\nHost: localhost\r\n", 400],
    ["a broken escape", "GET /login%E0%A4%A HTTP/1.1\r\nHost: localhost\r\n", 400],
    ["no address", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n", 400],
    ["a host that is none", "GET /login HTTP/1.1\r\nHost: a b@c/d\r\n", 400],
  ])("%s", async (_, head, status) => {
    const answer = await send(head + close);
    expect(answer.status).toBe(status);
    for (const name of HEADERS)
      expect(
        answer.head.split("\r\n").filter((line) => line.startsWith(`${name}:`)),
        name,
      ).toHaveLength(1);
  });
});

it("files are still cached, and images keep their own styles", async () => {
  const [style, image] = [
    await send(`GET ${asset} HTTP/1.1\r\nHost: localhost\r\n${close}`),
    await send(`GET ${nameOf(/^icons-.*\.svg$/)} HTTP/1.1\r\nHost: localhost\r\n${close}`),
  ];
  expect(style.head).toContain("immutable");
  expect(image.head).toContain(
    "content-security-policy: default-src 'none'; style-src 'unsafe-inline'",
  );
});

it("a file is cached for a year only where its name has a hash", async () => {
  const unnamed = assets.filter((name) => !/(^|-)[\w-]{8}\.\w+(\.br|\.gz)?$/.test(name));
  expect(unnamed).toEqual([]);
  const others = readdirSync(new URL("..", assetFolder)).filter((name) => name !== "assets");
  expect(others).toContain("favicon.ico");
  for (const name of others) {
    const { head } = await send(`GET /${name} HTTP/1.1\r\nHost: localhost\r\n${close}`);
    expect(head, name).toMatch(/^cache-control: public, max-age=3600$/m);
  }
});

describe("a file that pages load", () => {
  const ask = (path: string, headers: Record<string, string>) =>
    new Promise<IncomingMessage & { body: Buffer }>((resolve, reject) => {
      get(new URL(path, app.url), { headers }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => resolve(Object.assign(response, { body: Buffer.concat(parts) })));
      }).on("error", reject);
    });
  const largest = (kind: RegExp) =>
    assets
      .filter((name) => kind.test(name))
      .sort((a, b) => size(b) - size(a))
      .at(0)!;
  const size = (name: string) => readFileSync(new URL(name, assetFolder)).byteLength;
  const plain = (name: string) => readFileSync(new URL(name, assetFolder));
  const script = largest(/\.js$/);

  it.each([
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["br;q=0, gzip;q=0.5", "gzip", gunzipSync],
    ["identity", undefined, (bytes: Buffer) => bytes],
  ])("is sent to a browser that accepts “%s” as %s", async (accepted, coding, decode) => {
    for (const [kind, type] of [
      [/\.js$/, "text/javascript; charset=utf-8"],
      [/\.css$/, "text/css; charset=utf-8"],
      [/\.svg$/, "image/svg+xml"],
    ] as const) {
      const name = largest(kind);
      const { statusCode, headers, body } = await ask(`/assets/${name}?x`, {
        "Accept-Encoding": accepted,
      });
      expect(statusCode).toBe(200);
      expect(headers["content-encoding"]).toBe(coding);
      expect(headers["content-type"]?.toLowerCase().replace("application/", "text/")).toBe(type);
      expect(headers["cache-control"]).toContain("immutable");
      if (coding) expect(headers.vary, name).toBe("Accept-Encoding");
      expect(decode(body).equals(plain(name)), name).toBe(true);
    }
  });

  it("is a seventh smaller than gzip makes it", async () => {
    const { body } = await ask(`/assets/${script}`, { "Accept-Encoding": "br" });
    expect(body.byteLength).toBeLessThan((gzipSync(plain(script)).byteLength * 7) / 8);
  });

  it.each(["bytes=2-11", "bytes=5-2", "bytes=-", "bytes=99999999-", "bytes=a-b", "lines=1-2"])(
    "is sent whole to a client that asks for “%s”",
    async (range) => {
      for (const name of [`/assets/${script}`, "/apple-touch-icon.png"]) {
        const { statusCode, body } = await ask(name, { "Accept-Encoding": "br", Range: range });
        expect(statusCode).toBe(200);
        expect(body.byteLength).toBeGreaterThan(500);
      }
    },
  );

  it.each(["If-Match", "If-Unmodified-Since"])(
    "is sent to a client that says “%s”",
    async (name) => {
      const headers = { "Accept-Encoding": "br", [name]: "Sat, 01 Jan 2000 00:00:00 GMT" };
      expect((await ask(`/assets/${script}`, headers)).statusCode).toBe(200);
    },
  );

  it("is not sent again to a browser that has it", async () => {
    const headers = { "Accept-Encoding": "br" };
    const { etag = "" } = (await ask(`/assets/${script}`, headers)).headers;
    const again = await ask(`/assets/${script}`, { ...headers, "If-None-Match": etag });
    expect(again.statusCode).toBe(304);
  });

  it("is a readable page when a new build has removed it", async () => {
    const { statusCode, headers, body } = await ask("/assets/removed.js", {
      "Accept-Encoding": "br",
    });
    expect(statusCode).toBe(404);
    expect(headers["content-type"]).toContain("text/html");
    const page = headers["content-encoding"] === "br" ? brotliDecompressSync(body) : body;
    expect(page.toString()).toContain("Go to Home");
  });
});

it("a refused request gets a neutral page with words, a way on, and the way out", async () => {
  const { body, head } = await send(`TRACE /listings HTTP/1.1\r\nHost: localhost\r\n${close}`);
  expect(head).toContain("allow: get, head, post");
  expect(body).toContain("<title>That link or button didn’t work · Dashboard</title>");
  expect(body).toContain('href="/"');
  expect(body).toContain('action="/leave"');
  expect(body).not.toMatch(/Everyone|TypeError|node_modules/);
});

it("an absolute address is read as its path", async () => {
  const answer = await send(`GET http://localhost/login HTTP/1.1\r\nHost: localhost\r\n${close}`);
  expect(answer.status).toBe(200);
});

it("?_data= is ignored", async () => {
  const answer = await send(
    `GET /login?_data=routes%2Flogin HTTP/1.1\r\nHost: localhost\r\n${close}`,
  );
  expect(answer.status).toBe(200);
  expect(answer.body).toContain("<title>Sign in");
});

describe("a form that is too large", () => {
  const post = "POST /login HTTP/1.1\r\nHost: localhost\r\nOrigin: ";
  const type = "Content-Type: application/x-www-form-urlencoded\r\n";

  it.each([
    ["with its length", `Content-Length: ${3 * MEGABYTE}\r\n\r\n`, false],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\n", true],
  ])("is answered while it is sent, %s, and the connection ends well", async (_, end, chunked) => {
    const answer = await send(`${post}${app.url}\r\n${type}${end}`, {
      bytes: 3 * MEGABYTE,
      chunked,
    });
    expect(answer.status).toBe(413);
    expect(answer.head).toContain("connection: close");
    expect(answer.body).toContain("That form is too large");
    expect(answer.closed).toBe(true);
  });

  it("is answered even when the rest never comes", async () => {
    const answer = await send(
      `${post}${app.url}\r\n${type}Content-Length: ${3 * MEGABYTE}\r\n\r\n`,
    );
    expect(answer.status).toBe(413);
    expect(answer.closed).toBe(true);
  });

  it("is refused in the same way when it comes from another site", async () => {
    const answer = await send(
      `${post}https://evil.example\r\n${type}Content-Length: ${3 * MEGABYTE}\r\n\r\n`,
      { bytes: 3 * MEGABYTE },
    );
    expect(answer.status).toBe(403);
    expect(answer.closed).toBe(true);
  });
});

describe("a request that can’t be read", () => {
  // Otherwise nginx counts a failed instance, and one visitor can have it stop passing on everyone's requests.
  it.each([
    ["with an address of other bytes", "POST /\u00ff HTTP/1.1\r\n", "", 400],
    ["with a control character in a header", "POST /login HTTP/1.1\r\n", "X-A: a\u0001b\r\n", 400],
    [
      "with very long headers",
      "POST /login HTTP/1.1\r\n",
      `X-A: ${"a".repeat(7_000)}\r\n`.repeat(3),
      431,
    ],
  ])(
    "is answered while its body is sent, %s, and the connection ends well",
    async (_, line, header, status) => {
      const answer = await send(
        `${line}Host: localhost\r\n${header}Content-Length: ${3 * MEGABYTE}\r\n\r\n`,
        { bytes: 3 * MEGABYTE },
      );
      expect(answer.status).toBe(status);
      expect(answer.head).toContain("connection: close");
      expect(answer.head).toContain("cache-control: no-store");
      expect(answer.closed).toBe(true);
    },
  );
});

it("a body that can’t be read is answered", async () => {
  const head = `POST /login HTTP/1.1\r\nHost: localhost\r\nOrigin: ${app.url}\r\n`;
  const type = "Content-Type: application/x-www-form-urlencoded\r\n";
  const answer = await send(`${head}${type}Transfer-Encoding: chunked\r\n\r\nnot a length\r\n`);
  expect(answer.status).toBe(400);
});

// Otherwise nginx counts a failed instance, as above.
it.each([
  ["a page", `/account?${":".repeat(7_000)}`, "/login"],
  ["a page of something", `/listings/${":".repeat(7_000)}`, "/login"],
  ["a link of the app", `/privacy?token=x&${'"'.repeat(7_000)}`, "/"],
  ["a folder of files", `/assets?${'"'.repeat(7_000)}`, "/assets/"],
])("a very long address of %s is not answered with a longer one", async (_, address, location) => {
  const answer = await send(`GET ${address} HTTP/1.1\r\nHost: localhost\r\n${close}`);
  expect(answer.head).toMatch(new RegExp(`^location: ${location}$`, "m"));
  expect(answer.head.length).toBeLessThan(4_000);
});

it("keeps a proxy’s connection open while no one uses it", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const port = Number(new URL(app.url).port);
  /** The socket that served a request, and how long the server says that it stays. */
  const ask = () =>
    new Promise<{ socket: Socket; kept: unknown }>((resolve, reject) => {
      get({ agent, host: "127.0.0.1", port, path: "/healthz" }, (response) => {
        const { socket } = response;
        response
          .resume()
          .once("end", () => resolve({ socket, kept: response.headers["keep-alive"] }));
      }).once("error", reject);
    });
  const first = await ask();
  // Node's own limit is five seconds, and one more.
  await sleep(7_000);
  const second = await ask();
  expect(second.socket).toBe(first.socket);
  expect(second.kept).toBe("timeout=75");
  agent.destroy();
});

it("none of this is logged as an error or with a stack trace", async () => {
  await expect.poll(() => app.output()).toContain(`"route":"refused"`);
  await sleep(200);
  // (That its Supabase doesn't answer is one.)
  const lines = app.output().split("\n");
  expect(lines.filter((line) => !line.includes('"msg":"not ready"')).join("\n")).not.toMatch(
    /^\s+at |Error:|"level":50/m,
  );
});

describe("a proxy that the configuration does not know", () => {
  it("is logged once", async () => {
    for (const visitor of ["203.0.113.9", "203.0.113.10"])
      await fetch(`${app.url}/healthz`, { headers: { "X-Forwarded-For": visitor } });
    await expect.poll(() => app.output()).toContain("TRUSTED_IP_HEADER is not set");
    expect(app.output().match(/TRUSTED_IP_HEADER is not set/g)).toHaveLength(1);
    expect(app.output()).not.toContain("203.0.113");
  });
});

describe("a key that Supabase does not accept", () => {
  it("keeps the server from starting, in words that name the variable and not the key", async () => {
    const supabase = await startLocalSupabase({
      engine: { kind: "pglite" },
      siteUrl: "http://localhost",
      seed: "none",
    });
    try {
      const wrong = "sb_secret_of_another_project";
      const started = startAppOver({
        ...settings,
        SUPABASE_URL: supabase.url,
        SUPABASE_PUBLISHABLE_KEY: supabase.publishableKey,
        SUPABASE_SECRET_KEY: wrong,
      }).then(async (other) => {
        // The check goes on after the server has started to listen.
        await expect.poll(() => other.output()).toContain("ended with code 1");
        throw new Error(other.output());
      });
      await expect(started).rejects.toThrow(
        /The dashboard can't start.*SUPABASE_SECRET_KEY is not accepted by the project at SUPABASE_URL/s,
      );
      await expect(started).rejects.not.toThrow(wrong);
    } finally {
      await supabase.stop();
    }
  });
});
