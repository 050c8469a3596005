import { createHmac } from "node:crypto";
import { request } from "node:http";
import { connect } from "node:net";

import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { makeProject, startServices, type Services } from "./project";

describe("the gate", () => {
  const project = makeProject();
  let services: Services;

  beforeAll(async () => {
    services = await startServices({ project: project.folder });
  });
  afterAll(async () => {
    await services.stop();
    project.remove();
  });

  it.each([
    "/",
    "/_system",
    "/_system/info",
    "/_system/query",
    "/rest/v1/../../_system",
    "/rest/v1/%2e%2e/%2e%2e/_system",
    "/storage/v1/bucket",
    "/auth",
    "/rest/v1",
  ])("answers 404 at %s", async (path) => {
    for (const key of [services.secretKey, services.publishableKey]) {
      expect((await services.get(path, { key })).status).toBe(404);
    }
  });

  it("listens on loopback only", () => {
    expect(new URL(services.url).hostname).toBe("127.0.0.1");
  });

  it("refuses another host name that points here", async () => {
    const { port } = new URL(services.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(
        {
          host: "127.0.0.1",
          port,
          path: "/rest/v1/board",
          headers: { host: "evil.example", apikey: services.secretKey },
        },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      )
        .on("error", reject)
        .end();
    });
    expect(status).toBe(421);
  });

  it("refuses a request without a valid key", async () => {
    expect((await fetch(`${services.url}/rest/v1/board`)).status).toBe(401);
    expect((await services.get("/rest/v1/board", { key: "sb_secret_wrong" })).status).toBe(401);
  });

  it("refuses tokens that are expired, forged or without a signature", async () => {
    const { access_token: token } = await services.member("tokens@example.test");
    const [head, payload, signature] = token.split(".") as [string, string, string];
    const none = Buffer.from(JSON.stringify({ alg: "none", typ: "JWT" })).toString("base64url");
    const past = Buffer.from(JSON.stringify({ role: "authenticated", exp: 1 })).toString(
      "base64url",
    );
    const sealed = createHmac("sha256", services.jwtSecret)
      .update(`${head}.${past}`)
      .digest("base64url");
    const service = Buffer.from(JSON.stringify({ role: "service_role" })).toString("base64url");
    for (const bad of [
      `${head}.${past}.${sealed}`,
      `${none}.${payload}.`,
      `${head}.${service}.${signature}`,
      `${head}.${payload}`,
      "nonsense",
    ]) {
      expect((await services.get("/rest/v1/board", { token: bad })).status).toBe(401);
      expect((await services.get("/auth/v1/user", { token: bad })).status).toBeGreaterThanOrEqual(
        401,
      );
    }
  });

  it("answers while another request is sent slowly", async () => {
    const { port } = new URL(services.url);
    const slow = connect(Number(port), "127.0.0.1");
    await new Promise<void>((resolve) => slow.once("connect", () => resolve()));
    slow.write(
      "POST /auth/v1/signup HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n" +
        `apikey: ${services.publishableKey}\r\n\r\n{"email":`,
    );
    expect((await services.get("/rest/v1/board")).status).toBe(200);
    slow.destroy();
  });

  it("refuses a body of more than 10 MB", async () => {
    const body = "x".repeat(10 * 1024 * 1024 + 1);
    expect((await services.post("/auth/v1/signup", { email: body })).status).toBe(413);
  });

  it("serves the official Supabase client", async () => {
    class NoSocket {}
    const client = createClient(services.url, services.publishableKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      realtime: { transport: NoSocket as never },
    });
    const signedUp = await client.auth.signUp({
      email: "js@example.test",
      password: "correct horse",
    });
    expect(signedUp.error).toBeNull();
    expect(signedUp.data.session).toBeNull();
    const verified = await client.auth.verifyOtp({
      type: "signup",
      token_hash: services.lastToken("js@example.test"),
    });
    expect(verified.error).toBeNull();
    const { data, error } = await client
      .from("notes")
      .insert({ body: "hi" })
      .select("body")
      .single();
    expect({ data, error }).toEqual({ data: { body: "hi" }, error: null });
    const refused = await client.rpc("refuse", { message: "No." });
    expect(refused.error).toMatchObject({ code: "P0001", message: "No." });
  });
});
