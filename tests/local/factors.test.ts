/** The second factor of the stand-in's auth service, as the hosted one (GoTrue) answers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { makeTotpCode } from "../../local/hosted-factors";

import { createEngine, ENGINES, makeProject, startServices, type Services } from "./project";

interface Factor {
  id: string;
  status: string;
  friendly_name: string;
}
interface Body {
  id: string;
  error_code: string;
  access_token: string;
  refresh_token: string;
  totp: { secret: string; uri: string; qr_code: string };
  expires_at: number;
  factors?: Factor[];
  user: { id: string; factors?: Factor[] };
}
interface Answer {
  status: number;
  body: Body;
}

const anyText: unknown = expect.any(String);
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as {
    aal: string;
    amr: { method: string; timestamp: number }[];
    session_id: string;
  };

it("makes the codes of RFC 6238", () => {
  // The test vectors of appendix B, with six digits.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  expect(
    [59, 1_111_111_109, 1_234_567_890, 2_000_000_000, 20_000_000_000].map((at) =>
      makeTotpCode(secret, at * 1000),
    ),
  ).toEqual(["287082", "081804", "005924", "279037", "353130"]);
});

describe.each(ENGINES)("factors over %s", (name) => {
  const project = makeProject();
  let services: Services;
  let stopEngine: () => Promise<void>;

  beforeAll(async () => {
    const { engine, stop } = await createEngine(name);
    stopEngine = stop;
    services = await startServices({ project: project.folder, engine });
  });
  afterAll(async () => {
    await services.stop();
    await stopEngine();
    project.remove();
  });

  const call = async (method: string, path: string, token?: string, body?: unknown) =>
    (await services.call(method, `/auth/v1/${path}`, {
      ...(token ? { token } : {}),
      ...(body === undefined ? {} : { body }),
    })) as unknown as Answer;
  const enroll = (token: string, fields: object = {}) =>
    call("POST", "factors", token, { factor_type: "totp", friendly_name: "Phone", ...fields });
  const challenge = (token: string, factor: string) =>
    call("POST", `factors/${factor}/challenge`, token, {});
  const verify = (token: string, factor: string, challengeId: string, code: string) =>
    call("POST", `factors/${factor}/verify`, token, { challenge_id: challengeId, code });
  /** Adds an app and verifies its first code. */
  async function withFactor(email: string) {
    const { access_token: token, refresh_token: refreshToken } = await services.member(email);
    const { body: factor } = await enroll(token);
    const { body: asked } = await challenge(token, factor.id);
    const { body: session } = await verify(
      token,
      factor.id,
      asked.id,
      makeTotpCode(factor.totp.secret),
    );
    return { token, refreshToken, factor, session };
  }
  const signIn = async (email: string) => (await services.signIn(email)).body as unknown as Body;

  it("begins every session at aal1, with the method that began it", async () => {
    const { access_token: token } = await services.member("methods@example.test");
    expect(claimsOf(token)).toMatchObject({ aal: "aal1", amr: [{ method: "otp" }] });
    const { access_token: password } = await signIn("methods@example.test");
    expect(claimsOf(password)).toMatchObject({ aal: "aal1", amr: [{ method: "password" }] });
    expect(
      await services.sql("select aal from auth.sessions where id = $1", [
        claimsOf(password).session_id,
      ]),
    ).toEqual([{ aal: "aal1" }]);
  });

  it("adds an app when its first code is verified, and raises the session", async () => {
    const { token, factor, session, refreshToken } = await withFactor("enroll@example.test");
    expect(factor).toMatchObject({ type: "totp", friendly_name: "Phone" });
    expect(factor.totp.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new URL(factor.totp.uri).searchParams.get("secret")).toBe(factor.totp.secret);
    expect(factor.totp.qr_code).toMatch(/^<svg/);

    expect(claimsOf(session.access_token)).toMatchObject({
      aal: "aal2",
      session_id: claimsOf(token).session_id,
    });
    expect(claimsOf(session.access_token).amr.map(({ method }) => method)).toEqual(["totp", "otp"]);
    expect(session.refresh_token).not.toBe(refreshToken);
    expect(session.user.factors).toMatchObject([{ id: factor.id, status: "verified" }]);
    expect((await call("GET", "user", session.access_token)).body.factors).toMatchObject([
      { id: factor.id, status: "verified", friendly_name: "Phone", factor_type: "totp" },
    ]);
    expect(JSON.stringify(session)).not.toContain(factor.totp.secret);
  });

  it("keeps the level over refreshes", async () => {
    const { session } = await withFactor("refresh@example.test");
    const { body } = await services.refresh(session.refresh_token);
    expect(claimsOf(body.access_token)).toMatchObject({ aal: "aal2" });
    const again = await services.refresh(body.refresh_token);
    expect(claimsOf(again.body.access_token)).toMatchObject({ aal: "aal2" });
  });

  it("ends the sessions that have not passed the second step", async () => {
    await services.member("others@example.test");
    const other = await signIn("others@example.test");
    const here = await signIn("others@example.test");
    const { body: factor } = await enroll(here.access_token);
    const { body: asked } = await challenge(here.access_token, factor.id);
    await verify(here.access_token, factor.id, asked.id, makeTotpCode(factor.totp.secret));
    expect(await call("GET", "user", other.access_token)).toMatchObject({
      status: 403,
      body: { error_code: "session_not_found" },
    });
    expect(await services.refresh(other.refresh_token)).toMatchObject({ status: 400 });
  });

  it("refuses wrong and empty codes, and challenges that were used, expired, or are another's", async () => {
    const { factor, session } = await withFactor("wrong@example.test");
    const { access_token: token } = session;
    const code = makeTotpCode(factor.totp.secret);
    const { body: asked } = await challenge(token, factor.id);
    const wrong = code === "000000" ? "000001" : "000000";
    expect(await verify(token, factor.id, asked.id, wrong)).toMatchObject({
      status: 422,
      body: { error_code: "mfa_verification_failed" },
    });
    expect(await verify(token, factor.id, asked.id, "")).toMatchObject({
      status: 400,
      body: { error_code: "validation_failed" },
    });
    expect(await verify(token, factor.id, crypto.randomUUID(), code)).toMatchObject({
      status: 422,
      body: { error_code: "mfa_factor_not_found" },
    });
    expect(
      await verify(token, factor.id, asked.id, makeTotpCode(factor.totp.secret)),
    ).toMatchObject({ status: 200 });
    expect(await verify(token, factor.id, asked.id, code)).toMatchObject({
      status: 422,
      body: { error_code: "mfa_ip_address_mismatch" },
    });

    const { body: late } = await challenge(token, factor.id);
    await services.sql(
      "update auth.mfa_challenges set created_at = now() - interval '6 minutes' where id = $1",
      [late.id],
    );
    expect(await verify(token, factor.id, late.id, code)).toMatchObject({
      status: 422,
      body: { error_code: "mfa_challenge_expired" },
    });

    const { access_token: stranger } = await services.member("stranger@example.test");
    expect(await challenge(stranger, factor.id)).toMatchObject({
      status: 404,
      body: { error_code: "mfa_factor_not_found" },
    });
    expect(await call("POST", "factors", undefined, { factor_type: "totp" })).toMatchObject({
      status: 401,
    });
  });

  it("refuses a second app below aal2, of the same name, and beyond ten", async () => {
    const { session } = await withFactor("many@example.test");
    expect(await enroll(session.access_token)).toMatchObject({
      status: 422,
      body: { error_code: "mfa_factor_name_conflict" },
    });
    const below = await signIn("many@example.test");
    expect(below.user.factors).toMatchObject([{ status: "verified" }]);
    expect(await enroll(below.access_token, { friendly_name: "Other" })).toMatchObject({
      status: 403,
      body: { error_code: "insufficient_aal" },
    });
    for (let index = 2; index <= 10; index += 1)
      await enroll(session.access_token, { friendly_name: `App ${index}` });
    expect(await enroll(session.access_token, { friendly_name: "App 11" })).toMatchObject({
      status: 422,
      body: { error_code: "too_many_enrolled_mfa_factors" },
    });
    expect(await enroll(session.access_token, { factor_type: "phone" })).toMatchObject({
      status: 422,
      body: { error_code: "mfa_phone_enroll_not_enabled" },
    });
    expect(await enroll(session.access_token, { factor_type: "x" })).toMatchObject({ status: 400 });
  });

  it("removes a verified app at aal2 only, and lowers the session", async () => {
    const { factor, session } = await withFactor("remove@example.test");
    const below = await signIn("remove@example.test");
    expect(await call("DELETE", `factors/${factor.id}`, below.access_token)).toMatchObject({
      status: 422,
      body: { error_code: "insufficient_aal" },
    });
    expect(await call("DELETE", `factors/${factor.id}`, session.access_token)).toEqual({
      status: 200,
      body: { id: factor.id },
    });
    const { body } = await services.refresh(session.refresh_token);
    expect(claimsOf(body.access_token)).toMatchObject({ aal: "aal1" });
    expect((await call("GET", "user", body.access_token)).body.factors).toBeUndefined();
  });

  it("changes the password and the email address at aal2 only", async () => {
    const { session } = await withFactor("change@example.test");
    const below = await signIn("change@example.test");
    for (const body of [{ password: "a new password" }, { email: "changed@example.test" }])
      expect(await call("PUT", "user", below.access_token, body)).toMatchObject({
        status: 401,
        body: { error_code: "insufficient_aal" },
      });
    expect(
      await call("PUT", "user", session.access_token, { password: "a new password" }),
    ).toMatchObject({ status: 200 });
  });

  it("lists and removes the apps of a user for the secret key alone", async () => {
    const { factor, session } = await withFactor("admin@example.test");
    const path = `admin/users/${session.user.id}/factors`;
    expect(await call("GET", path, session.access_token)).toMatchObject({
      status: 403,
      body: { error_code: "not_admin" },
    });
    expect(await call("GET", path, services.secretKey)).toMatchObject({
      status: 200,
      body: [{ id: factor.id, status: "verified" }],
    });
    expect(await call("DELETE", `${path}/${factor.id}`, services.secretKey)).toMatchObject({
      status: 200,
      body: { id: factor.id },
    });
    expect(await call("DELETE", `${path}/${factor.id}`, services.secretKey)).toMatchObject({
      status: 404,
      body: { error_code: "mfa_factor_not_found" },
    });
    expect(await call("GET", "admin/users/x/factors", services.secretKey)).toMatchObject({
      status: 404,
      body: { error_code: anyText },
    });
  });
});
